// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/**
 * The idempotency key under which one attempt is sent to one PSP, and our reference there. It is derived, so that a repeated send is a
 * repeat for the PSP too. Another attempt has another sequence number and so another key.
 */
public record PspKey(String value) {

    public PspKey {
        if (!DerivedId.isWellFormed(value)) {
            throw new IllegalArgumentException("a PSP key is 26 characters of base32, not '%s'".formatted(value));
        }
    }

    /**
     * @param sequence the attempt's number within its operation, from 1; it never restarts, not even after a merge
     */
    public static PspKey derive(PaymentId payment, String operation, String operationRef, String psp, int sequence) {
        if (sequence < 1) {
            throw new IllegalArgumentException("Bug! An attempt's sequence starts at 1, not " + sequence);
        }
        return new PspKey(DerivedId.of(payment, operation, operationRef, psp, sequence));
    }

    /** In the place of the key of an attempt that the PSP names only by its own reference. No attempt has it. */
    public static PspKey standIn(String pspReference) {
        return new PspKey(DerivedId.of("stand-in", pspReference));
    }

    /** Empty if the text is not such a key. */
    public static Optional<PspKey> parse(String text) {
        return DerivedId.isWellFormed(text) ? Optional.of(new PspKey(text)) : Optional.empty();
    }

    @Override
    public String toString() {
        return value;
    }
}
