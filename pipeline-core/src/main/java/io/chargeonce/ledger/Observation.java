// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;

/**
 * What a PSP said about an attempt, in the columns that store it. A column that does not apply is null.
 *
 * @param source where it came from: {@code call}, {@code query}, {@code webhook}, {@code settlement}, {@code hand}, or {@code found}
 *               for an attempt that the database had lost
 */
public record Observation(PspKey key, String source, AttemptState state, String outcome, String cause, String detail,
        String pspReference) {

    public Observation {
        cause = storable(cause);
        detail = storable(detail);
        pspReference = storable(pspReference);
    }

    public static Observation of(PspKey key, String source, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Charged charged ->
                new Observation(key, source, AttemptState.SUCCEEDED, "charged", null, null, charged.pspReference());
            case Outcome.Declined declined ->
                new Observation(key, source, AttemptState.FAILED_DEFINITE, "declined", declined.codeAsAdvised(), declined.message(),
                        declined.pspReference().orElse(null));
            case Outcome.Failed failed ->
                new Observation(key, source, AttemptState.FAILED_DEFINITE, "failed", failed.cause().tag(), failed.detail(), null);
            case Outcome.Unknown unknown ->
                new Observation(key, source, AttemptState.UNKNOWN, "unknown", unknown.cause().tag(), unknown.detail(),
                        unknown.pspReference().orElse(null));
        };
    }

    /** Not the answer to a status query, a webhook, or a person's finding. */
    public boolean answersItsCall() {
        return source.equals("call");
    }

    private static String storable(String column) {
        return column == null ? null : ForeignText.storable(column);
    }
}
