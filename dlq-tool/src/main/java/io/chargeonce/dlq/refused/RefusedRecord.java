// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.refused;

import java.time.Duration;

/**
 * A staged record that the broker refuses. Its content is not read: no decision about it needs the data of a payer.
 *
 * @param key    the operation's id, or that of a dead letter
 * @param bytes  the size of its value; 0 for a payment's first request, which is made from the payment's row
 * @param behind how many later records of its key wait for it
 */
public record RefusedRecord(long id, String topic, String key, Duration age, long bytes, String refusal, long behind) {

    /** The seals prove that the audit log was not rewritten, so no person may drop one. */
    public boolean mayBeDropped() {
        return !isOn(".audit-seals");
    }

    private boolean isOn(String end) {
        return topic.endsWith(end);
    }

    /** What is missing after a drop, and what makes up for it. One sentence. */
    public String withoutIt() {
        if (isOn(".requests") || topic.matches(".*[.]retry-\\d+")) {
            return "A payment that is still there is not lost: the sweeper stages its work again after CHARGEONCE_SWEEP_AFTER.";
        }
        if (isOn(".outcomes")) {
            return "Readers of the outcomes never learn this one from the topic, and its merchant gets no webhook: tell them, or let them "
                    + "ask GET /v1/payments/ID.";
        }
        if (isOn(".dlq")) {
            return "The topic then differs from the queue: chargeonce dlq verify --repair stages it again.";
        }
        if (isOn(".intake-refused")) {
            return "The producer never learns from the topic that its request was refused: tell it.";
        }
        if (isOn(".waiting")) {
            return "The witness may report the payment as overdue until its next record.";
        }
        return "Readers of the topic never get it.";
    }
}
