package io.chargeonce.sandbox.stripe;

/** Where lines are kept, if anywhere. */
interface Journal extends AutoCloseable {
    byte[] encode(JournalLine line);

    /** Returns when the line would survive the death of this process. One thread at a time. */
    void append(byte[] encoded);

    void erase();

    @Override
    void close();

    /** Keeps nothing: the books end with the process. */
    final class InMemory implements Journal {
        @Override
        public byte[] encode(JournalLine line) {
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
