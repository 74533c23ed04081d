// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

/** Where the lines of a ledger are kept. */
interface Journal<L> extends AutoCloseable {
    byte[] encode(L line);

    /** Returns when the line would survive the death of this process. One thread at a time. */
    void append(byte[] encoded);

    void erase();

    @Override
    void close();

    /** Keeps nothing: the ledger ends with the process. */
    final class InMemory<L> implements Journal<L> {
        @Override
        public byte[] encode(L line) {
            return new byte[0];
        }

        @Override
        public void append(byte[] encoded) {}

        @Override
        public void erase() {}

        @Override
        public void close() {}
    }
}
