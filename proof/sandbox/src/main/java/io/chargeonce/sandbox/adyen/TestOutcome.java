// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.util.Arrays;
import java.util.Optional;

/**
 * The outcomes that Adyen's test environment can be asked for, as its page on testing result codes publishes them: by the
 * card's holder name, or by the number in {@code additionalData.RequestedTestAcquirerResponseCode}.
 */
public enum TestOutcome {
    UNKNOWN(0, "Error", "Unknown"),
    APPROVED(1, "Authorised", ""),
    DECLINED(2, "Refused", "Refused"),
    REFERRAL(3, "Refused", "Referral"),
    ERROR(4, "Error", "Acquirer Error"),
    BLOCK_CARD(5, "Refused", "Blocked Card"),
    CARD_EXPIRED(6, "Refused", "Expired Card"),
    INVALID_AMOUNT(7, "Refused", "Invalid Amount"),
    INVALID_CARD(8, "Refused", "Invalid Card Number"),
    ISSUER_UNAVAILABLE(9, "Refused", "Issuer Unavailable"),
    NOT_SUPPORTED(10, "Refused", "Not supported"),
    NOT_3D_AUTHENTICATED(11, "Refused", "3D Not Authenticated"),
    NOT_ENOUGH_BALANCE(12, "Refused", "Not enough balance"),
    PENDING(13, "Received", ""),
    ACQUIRER_FRAUD(14, "Refused", "Acquirer Fraud"),
    CANCELLED(15, "Refused", "Cancelled"),
    SHOPPER_CANCELLED(16, "Refused", "Shopper Cancelled"),
    INVALID_PIN(17, "Refused", "Invalid Pin"),
    PIN_TRIES_EXCEEDED(18, "Refused", "Pin tries exceeded"),
    PIN_VALIDATION_NOT_POSSIBLE(19, "Refused", "Pin validation not possible"),
    FRAUD(20, "Refused", "FRAUD"),
    NOT_SUBMITTED(21, "Refused", "Not Submitted"),
    FRAUD_CANCELLED(22, "Refused", "FRAUD-CANCELLED"),
    TRANSACTION_NOT_PERMITTED(23, "Refused", "Transaction Not Permitted"),
    CVC_DECLINED(24, "Refused", "CVC Declined"),
    RESTRICTED_CARD(25, "Refused", "Restricted Card"),
    REVOCATION_OF_AUTH(26, "Refused", "Revocation Of Auth"),
    DECLINED_NON_GENERIC(27, "Refused", "Declined Non Generic"),
    WITHDRAWAL_AMOUNT_EXCEEDED(28, "Refused", "Withdrawal amount exceeded"),
    WITHDRAWAL_COUNT_EXCEEDED(29, "Refused", "Withdrawal count exceeded"),
    ISSUER_SUSPECTED_FRAUD(31, "Refused", "Issuer Suspected Fraud"),
    AVS_DECLINED(32, "Refused", "AVS Declined"),
    AUTHENTICATION_REQUIRED(38, "Refused", "Authentication required");

    final int code;
    final String resultCode;
    final String refusalReason;

    TestOutcome(int code, String resultCode, String refusalReason) {
        this.code = code;
        this.resultCode = resultCode;
        this.refusalReason = refusalReason;
    }

    /** The outcome that a holder name asks for; what follows a colon is the raw answer of the scheme. */
    static Optional<TestOutcome> named(String holderName) {
        String name = holderName.split(":", 2)[0].strip();
        return Arrays.stream(values()).filter(outcome -> outcome.name().equals(name)).findFirst();
    }

    static Optional<TestOutcome> numbered(String code) {
        return Arrays.stream(values()).filter(outcome -> Integer.toString(outcome.code).equals(code)).findFirst();
    }

    /** Whether money moved. */
    boolean captures() {
        return this == APPROVED;
    }
}
