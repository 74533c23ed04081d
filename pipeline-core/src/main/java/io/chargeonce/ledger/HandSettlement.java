// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * What a person found out about an attempt whose outcome is unknown. It decides nothing by itself: the resolver asks the PSP once
 * more, and whatever the PSP says outranks it.
 *
 * @param step       the operation's step that it was found at; after any later move it is out of date
 * @param reference  the PSP's name for the money that moved; empty if none moved
 * @param evidence   how the person knows, 1 to 500 characters
 * @param run        names the command in the audit log
 * @param approvedBy the login of who approved it; empty while another person has to
 * @param answer     what the PSP said when it was asked again
 */
public record HandSettlement(PspKey key, String operationId, int step, Optional<String> reference, String evidence, String proposedBy,
        String run, Instant proposedAt, State state, Optional<String> answer, Optional<String> approvedBy) {

    public enum State {
        /** The resolver has not decided yet: it has not come to it, or the PSP did not answer. */
        WAITING,
        /** The PSP cannot tell, so the person's word decided. */
        SETTLED,
        /** The PSP said the same when it was asked again. */
        CONFIRMED,
        /** The PSP said something else, or what was claimed cannot be so; nothing was settled by it. */
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
