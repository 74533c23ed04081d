// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

/** Translates Adyen's refusal reason codes into the words that all our declines use. Pure. */
final class RefusalReasons {

    private RefusalReasons() {}

    /** A code that is not mapped keeps its number, {@code adyen_99}, so that it can be counted under its own name. */
    static String declineCode(String refusalReasonCode) {
        return switch (refusalReasonCode) {
            case "2" -> "generic_decline";
            case "3" -> "call_issuer";
            case "4", "19", "21" -> "processing_error";
            case "5", "25" -> "restricted_card";
            case "6" -> "expired_card";
            case "7" -> "invalid_amount";
            case "8" -> "incorrect_number";
            case "9" -> "issuer_not_available";
            case "10" -> "card_not_supported";
            case "11", "38", "39", "42" -> "authentication_required";
            case "12" -> "insufficient_funds";
            case "14", "20", "22", "31" -> "fraudulent";
            case "15", "16" -> "cancelled";
            case "17" -> "incorrect_pin";
            case "18" -> "pin_try_exceeded";
            case "23" -> "transaction_not_allowed";
            case "24" -> "incorrect_cvc";
            case "26" -> "revocation_of_authorization";
            case "27" -> "do_not_honor";
            case "28", "29" -> "card_velocity_exceeded";
            case "32" -> "incorrect_zip";
            case "34", "35" -> "invalid_account";
            default -> "adyen_" + refusalReasonCode;
        };
    }
}
