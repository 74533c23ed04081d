// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

/** Which of the last 64 numbers were seen. Older ones count as seen, so no repeat counts twice. One thread. */
final class Seen {

    private static final int WIDTH = Long.SIZE;

    private int lowest;
    private long bits;

    Seen(int lowest, long bits) {
        this.lowest = lowest;
        this.bits = bits;
    }

    static Seen nothing() {
        return new Seen(0, 0);
    }

    /** @return whether the number is new */
    boolean add(int number) {
        if (number < lowest) {
            return false;
        }
        int above = number - lowest - WIDTH + 1;
        if (above > 0) {
            bits = above >= WIDTH ? 0 : bits >>> above;
            lowest += above;
        }
        long bit = 1L << (number - lowest);
        boolean isNew = (bits & bit) == 0;
        bits |= bit;
        return isNew;
    }

    int lowest() {
        return lowest;
    }

    long bits() {
        return bits;
    }

    boolean isNothing() {
        return lowest == 0 && bits == 0;
    }
}
