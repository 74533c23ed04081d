// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proxy;

import java.util.Arrays;

/** The last bytes of a stream, so that a pattern is found also where two pieces meet. For one thread. */
final class Window {

    private static final int REMEMBERED = 64;

    private byte[] bytes = new byte[0];

    void add(byte[] piece) {
        byte[] tail = Arrays.copyOfRange(bytes, Math.max(0, bytes.length - REMEMBERED), bytes.length);
        bytes = Arrays.copyOf(tail, tail.length + piece.length);
        System.arraycopy(piece, 0, bytes, tail.length, piece.length);
    }

    boolean contains(byte[] pattern) {
        for (int start = 0; start + pattern.length <= bytes.length; start++) {
            if (Arrays.equals(bytes, start, start + pattern.length, pattern, 0, pattern.length)) {
                return true;
            }
        }
        return false;
    }
}
