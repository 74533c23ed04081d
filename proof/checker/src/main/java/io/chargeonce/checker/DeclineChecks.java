// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.finding.Invariant;
import tools.jackson.databind.JsonNode;

/**
 * Compares what PSPs declined with what came of it: a decline is the answer to its payment, and no failure to try again, unless it is
 * presented again, here or at another PSP, which counts as a presentation. A person may stop that. Known only where a PSP says it by an
 * HTTP status of its own, as Stripe does with 402.
 */
final class DeclineChecks {

    private static final int PAYMENT_REQUIRED = 402;
    /** What the charge consumer appends to an attempt's key for its second call. */
    private static final String CONFIRM = "-confirm";

    private final ShareContents contents;

    DeclineChecks(ShareContents contents) {
        this.contents = contents;
    }

    void request(JsonNode request) {
        if (request.path("status").asInt() != PAYMENT_REQUIRED || !request.path("fate").asString("").equals("executed")) {
            return;
        }
        String key = request.path("idempotency_key").asString("").replace(CONFIRM, "");
        ShareContents.AttemptOf attempt = contents.attempts.get(key);
        if (attempt != null) {
            declined(attempt);
        }
    }

    private void declined(ShareContents.AttemptOf attempt) {
        CheckedPayment payment = contents.payments.get(attempt.operation());
        boolean triedAgain = attempt.sequence() < payment.sequence && payment.presentedAgain == 0;
        boolean waits = payment.state == State.SCHEDULED && payment.presentedAgain == 0;
        if (triedAgain || waits || payment.state == State.DEAD && !payment.stopped) {
            contents.findings.add(Invariant.PSP_AGREES, payment.id, "is %s after %d attempts, though the PSP declined attempt %d"
                    .formatted(payment.state.tag(), payment.sequence, attempt.sequence()));
        }
    }
}
