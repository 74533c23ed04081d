// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The answer to a {@link Lookup}. */
public sealed interface Traces {

    /** Everything that the PSP has about the payment. */
    record Found(List<Trace> traces) implements Traces {

        public Found {
            traces = List.copyOf(traces);
        }
    }

    /** The PSP did not say. */
    record NoAnswer(String detail) implements Traces {}

    /** How far an attempt came. */
    enum Standing {
        /** It took the money. */
        CAPTURED,
        /** It may still take the money. */
        OPEN,
        /** The PSP declined it. */
        DECLINED
    }

    /**
     * One attempt as the PSP has it. One that the PSP has cancelled for good leaves no trace.
     *
     * @param key       the attempt's key, as the PSP stores it; empty if that is no key of ours
     * @param reference the PSP's own id
     * @param sameMoney whether it is about exactly the money that was asked about
     * @param at        when the PSP first heard of it, by the PSP's clock
     */
    record Trace(String psp, Optional<PspKey> key, String reference, Standing standing, boolean sameMoney, Instant at) {

        public Trace {
            Objects.requireNonNull(psp);
            Objects.requireNonNull(reference);
            Objects.requireNonNull(at);
        }
    }
}
