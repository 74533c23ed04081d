// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import static java.util.Map.entry;

import io.chargeonce.payment.DeclineAdvice;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates Adyen's refusal reasons into the words that all our declines use. Pure. */
final class RefusalReasons {

    /** As in Adyen's table of refusal reasons: a webhook has the words alone. */
    private static final Map<String, String> CODES = Map.ofEntries(entry("refused", "2"), entry("referral", "3"),
            entry("acquirer error", "4"), entry("blocked card", "5"), entry("expired card", "6"), entry("invalid amount", "7"),
            entry("invalid card number", "8"), entry("issuer unavailable", "9"), entry("not supported", "10"),
            entry("3d not authenticated", "11"), entry("not enough balance", "12"), entry("acquirer fraud", "14"), entry("cancelled", "15"),
            entry("shopper cancelled", "16"), entry("invalid pin", "17"), entry("pin tries exceeded", "18"),
            entry("pin validation not possible", "19"), entry("fraud", "20"), entry("not submitted", "21"), entry("fraud-cancelled", "22"),
            entry("transaction not permitted", "23"), entry("cvc declined", "24"), entry("restricted card", "25"),
            entry("revocation of auth", "26"), entry("declined non generic", "27"), entry("withdrawal amount exceeded", "28"),
            entry("withdrawal count exceeded", "29"), entry("issuer suspected fraud", "31"), entry("avs declined", "32"),
            entry("no checking account available on card", "34"), entry("no savings account available on card", "35"),
            entry("authentication required", "38"), entry("rreq not received from ds", "39"), entry("3ds authentication error", "42"));
    /** Such as "05 : Do not honor". Adyen says that a leading zero may be missing. */
    private static final Pattern RAW = Pattern.compile("([0-9A-Z]{1,2})\\s*:.*");
    private static final Pattern ADVICE = Pattern.compile("(\\d{2})\\b.*");

    private RefusalReasons() {}

    /** Of the words in a webhook; for other words {@code generic_decline}. */
    static String declineCodeOf(String reason) {
        String words = reason.split(":", 2)[0].strip().toLowerCase(Locale.ROOT);
        return Optional.ofNullable(CODES.get(words)).map(RefusalReasons::declineCode).orElse("generic_decline");
    }

    /** What the network itself said, if the account has Adyen send it. */
    static DeclineAdvice advice(Map<String, String> additionalData) {
        Map<String, String> data = additionalData == null ? Map.of() : additionalData;
        return new DeclineAdvice(first(ADVICE, data.get("merchantAdviceCode")),
                first(RAW, data.get("refusalReasonRaw")).map(code -> code.length() == 1 ? "0" + code : code));
    }

    private static Optional<String> first(Pattern pattern, String text) {
        return Optional.ofNullable(text).map(pattern::matcher).filter(Matcher::matches).map(found -> found.group(1));
    }

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
