// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.PspAnswer;
import io.chargeonce.sandbox.psp.PspRefusal;

/** A request that is answered with an error, in the form and with the codes of Adyen's page of error codes. */
final class AdyenRefusal extends PspRefusal {
    private static final long serialVersionUID = 1;

    /** For a key whose first request is not answered yet; Adyen documents 422 and 409 for it. */
    static final AdyenRefusal IN_PROGRESS = new AdyenRefusal(409, "704", "request already processed or in progress", "validation");
    static final AdyenRefusal UNAUTHORISED = new AdyenRefusal(401, "000", "HTTP Status Response - Unauthorized", "security");
    static final AdyenRefusal RATE_LIMITED = new AdyenRefusal(429, "000", "Too many requests", "security");
    static final AdyenRefusal UNAVAILABLE = new AdyenRefusal(503, "703", "required resource temporarily unavailable", "internal");
    static final AdyenRefusal BROKEN = new AdyenRefusal(500, "000", "Internal error", "internal");

    private final int status;
    private final String errorCode;
    private final String errorType;

    AdyenRefusal(int status, String errorCode, String message, String errorType) {
        super(message);
        this.status = status;
        this.errorCode = errorCode;
        this.errorType = errorType;
    }

    /** In the words that Adyen has for this status. */
    static AdyenRefusal onPurpose(int status) {
        return switch (status) {
            case 401 -> UNAUTHORISED;
            case 403 -> new AdyenRefusal(403, "010", "Not allowed", "security");
            case 429 -> RATE_LIMITED;
            default -> new AdyenRefusal(status, "702", "This request was refused on purpose, as " + status + " is", "validation");
        };
    }

    /** For a request that can be read, but has a wrong value. */
    static AdyenRefusal invalid(String errorCode, String message) {
        return new AdyenRefusal(422, errorCode, message, "validation");
    }

    @Override
    public PspAnswer answer() {
        boolean sendAgain = this == UNAVAILABLE || this == IN_PROGRESS;
        return sendAgain ? new AdyenReply.SendAgain(frozen()) : frozen();
    }

    /** The answer as it may be frozen under a key. Each has a reference of its own. */
    AdyenReply frozen() {
        return AdyenReply.of(status, json -> {
            json.writeNumberProperty("status", status);
            json.writeStringProperty("errorCode", errorCode);
            json.writeStringProperty("message", getMessage());
            json.writeStringProperty("errorType", errorType);
            json.writeStringProperty("pspReference", Ids.nextUpperCase(16));
        });
    }
}
