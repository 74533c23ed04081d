// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.util.List;

/** What came to merchants' receivers and customers' mailboxes, as these have kept it themselves. What is in a list stays there. */
public interface ArrivalEvidence {

    /**
     * @param signed       whether a secret of the endpoint has signed it
     * @param acknowledged whether the receiver has answered that it has it; one that was taken before is listed without that too
     */
    record Webhook(String endpoint, String id, String body, boolean signed, boolean acknowledged) {}

    /** @param id the part of its Message-ID before the at sign */
    record Mail(String id, String recipient, String text) {

        /** Leaves out what is personal. */
        @Override
        public String toString() {
            return id;
        }
    }

    List<Webhook> webhooks();

    List<Mail> mails();

    /** How many tries a webhook has until it is dead. */
    int tries();
}
