// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

/**
 * The part of all operations that one pass over the evidence judges. A reader skips what is not of the share, so
 * that a check needs memory for one share at a time; each operation, dead letter and record is of exactly one.
 *
 * @param number from 0
 * @param of     how many shares there are
 */
record Share(int number, int of) {

    static final Share EVERYTHING = new Share(0, 1);

    /** What one operation takes in the books, with some of its retries and the tables' own room; measured: about 290 bytes. */
    private static final long BYTES_EACH = 400;

    /** So many shares that each fits into half of this much memory. */
    static int count(long operations, long heapBytes) {
        return (int) Math.min(1_000, 1 + operations * BYTES_EACH / (heapBytes / 2));
    }

    /** What is about no single operation is judged once. */
    boolean isFirst() {
        return number == 0;
    }

    /** @param id of an operation or a dead letter, or any other key of a record */
    boolean holds(String id) {
        return of == 1 || Math.floorMod(id.hashCode() * 0x9E3779B9 >>> 8, of) == number;
    }
}
