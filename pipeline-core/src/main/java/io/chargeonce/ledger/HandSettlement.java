// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * What a person found out about an attempt whose outcome is unknown. It decides nothing alone: the resolver asks the PSP once more, and the
 * PSP's answer outranks it.
 *
 * @param step       the operation's step at that time; after any later move the finding is out of date
 * @param reference  the PSP's reference of the money that moved; empty if none moved
 * @param evidence   how the person knows, 1 to 500 characters
 * @param run        names the command in the audit log
 * @param approvedBy the login of the approver; empty while another person has to approve
 * @param answer     the PSP's answer when it was asked again
 */
public record HandSettlement(PspKey key, String operationId, int step, Optional<String> reference, String evidence, String proposedBy,
        String run, Instant proposedAt, State state, Optional<String> answer, Optional<String> approvedBy) {

    public enum State {
        /** The resolver has not decided yet: it has not reached it, or the PSP did not answer. */
        WAITING,
        /** The PSP does not know the outcome, so the person's finding decided. */
        SETTLED,
        /** The PSP confirmed the finding when it was asked again. */
        CONFIRMED,
        /** The PSP contradicted the finding, or it is impossible. It settled nothing. */
        REFUSED;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State fromTag(String tag) {
            return valueOf(tag.toUpperCase(Locale.ROOT));
        }
    }

    public boolean saysCharged() {
        return reference.isPresent();
    }

    /** As stored and shown. */
    public String verdict() {
        return saysCharged() ? "charged" : "not_charged";
    }
}
