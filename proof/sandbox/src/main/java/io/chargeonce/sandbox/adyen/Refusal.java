// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.PspAnswer;
import io.chargeonce.sandbox.psp.PspRefusal;

/** A request that is answered with an error, in the form and with the codes of Adyen's page of error codes. */
final class Refusal extends PspRefusal {
    private static final long serialVersionUID = 1;

    /** For a key whose first request is not answered yet; Adyen documents 422 and 409 for it. */
    static final Refusal IN_PROGRESS = new Refusal(409, "704", "request already processed or in progress", "validation");
    static final Refusal UNAUTHORISED = new Refusal(401, "000", "HTTP Status Response - Unauthorized", "security");
    static final Refusal RATE_LIMITED = new Refusal(429, "000", "Too many requests", "security");
    static final Refusal UNAVAILABLE = new Refusal(503, "703", "required resource temporarily unavailable", "internal");
    static final Refusal BROKEN = new Refusal(500, "000", "Internal error", "internal");

    private final int status;
    private final String errorCode;
    private final String errorType;

    Refusal(int status, String errorCode, String message, String errorType) {
        super(message);
        this.status = status;
        this.errorCode = errorCode;
        this.errorType = errorType;
    }

    /** In the words that Adyen has for this status. */
    static Refusal onPurpose(int status) {
        return switch (status) {
            case 401 -> UNAUTHORISED;
            case 403 -> new Refusal(403, "010", "Not allowed", "security");
            case 429 -> RATE_LIMITED;
            default -> new Refusal(status, "702", "This request was refused on purpose, as " + status + " is", "validation");
        };
    }

    /** For a request that can be read, but has a wrong value. */
    static Refusal invalid(String errorCode, String message) {
        return new Refusal(422, errorCode, message, "validation");
    }

    @Override
    public PspAnswer answer() {
        boolean sendAgain = this == UNAVAILABLE || this == IN_PROGRESS;
        return sendAgain ? new Answer.SendAgain(frozen()) : frozen();
    }

    /** The answer as it may be frozen under a key. Each has a reference of its own. */
    Answer frozen() {
        return Answer.of(status, json -> {
            json.writeNumberProperty("status", status);
            json.writeStringProperty("errorCode", errorCode);
            json.writeStringProperty("message", getMessage());
            json.writeStringProperty("errorType", errorType);
            json.writeStringProperty("pspReference", Ids.nextUpperCase(16));
        });
    }
}
