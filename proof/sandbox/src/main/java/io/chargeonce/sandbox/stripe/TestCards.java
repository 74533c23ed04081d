// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Stripe's published test payment methods (https://docs.stripe.com/testing) and their outcomes. Older pages spell the declines
 * without {@code _visa_}; both spellings work. Advice and network codes are those that issuers commonly give.
 */
final class TestCards {
    private static final String SAVED = "pm_of_";
    private static final String FOR_ONCE = "pm_once_";
    private static final TestCard.Outcome APPROVES = new TestCard.Outcome.Approves("normal");
    private static final TestCard.Outcome AUTHENTICATION_REQUIRED = declines("authentication_required",
            "Your card was declined. This transaction requires authentication.", "authentication_required", "", "1A");
    private static final TestCard.Outcome INSUFFICIENT_FUNDS = declines("card_declined", "Your card has insufficient funds.",
            "insufficient_funds", "try_again_later", "51");
    private static final Map<String, TestCard> CARDS = new HashMap<>();

    static {
        approving();
        declining();
        blocking();
        authenticating();
    }

    private TestCards() {}

    /**
     * Beside the published ones, {@code pm_of_NAME} is a card saved at the customer {@code cus_NAME}, and {@code pm_once_NAME} one
     * that is saved at none.
     */
    static Optional<TestCard> find(String name) {
        return isSaved(name) || isForOnce(name) ? Optional.of(new TestCard(name, "visa", "4242", "credit", APPROVES))
                : Optional.ofNullable(CARDS.get(name));
    }

    static boolean isSaved(String name) {
        return name.startsWith(SAVED) && name.length() > SAVED.length();
    }

    /** The customer of a card that {@link #isSaved}. */
    static String customerOf(String name) {
        return "cus_" + name.substring(SAVED.length());
    }

    static boolean isForOnce(String name) {
        return name.startsWith(FOR_ONCE) && name.length() > FOR_ONCE.length();
    }

    private static void approving() {
        visa("pm_card_visa", "4242", APPROVES);
        card("pm_card_visa_debit", "visa", "5556", "debit");
        card("pm_card_mastercard", "mastercard", "4444", "credit");
        card("pm_card_mastercard_debit", "mastercard", "8210", "debit");
        card("pm_card_mastercard_prepaid", "mastercard", "5100", "prepaid");
        card("pm_card_amex", "amex", "0005", "credit");
        card("pm_card_discover", "discover", "1117", "credit");
        card("pm_card_diners", "diners", "0004", "credit");
        card("pm_card_jcb", "jcb", "0505", "credit");
        card("pm_card_unionpay", "unionpay", "0005", "credit");
        visa("pm_card_bypassPending", "0077", APPROVES);
        visa("pm_card_riskLevelElevated", "9235", new TestCard.Outcome.Approves("elevated"));
    }

    private static void declining() {
        visaDecline("", "0002", declines("card_declined", "Your card was declined.", "generic_decline", "try_again_later", "01"));
        visaDecline("InsufficientFunds", "9995", INSUFFICIENT_FUNDS);
        visaDecline("LostCard", "9987", declines("card_declined", "Your card was declined.", "lost_card", "do_not_try_again", "41"));
        visaDecline("StolenCard", "9979", declines("card_declined", "Your card was declined.", "stolen_card", "do_not_try_again", "43"));
        visaDecline("Fraudulent", "0019", declines("card_declined", "Your card was declined.", "fraudulent", "do_not_try_again", "59"));
        visaDecline("VelocityLimitExceeded", "6975", declines("card_declined", "Your card was declined for making repeated "
                + "attempts too frequently or exceeding its amount limit.", "card_velocity_exceeded", "try_again_later", "65"));
        visaDecline("ExpiredCard", "0069", declines("expired_card", "Your card has expired.", "", "do_not_try_again", "54"));
        visaDecline("IncorrectCvc", "0127", declines("incorrect_cvc", "Your card's security code is incorrect.", "",
                "confirm_card_data", "82"));
        visaDecline("ProcessingError", "0119", declines("processing_error",
                "An error occurred while processing your card. Try again in a little bit.", "", "try_again_later", "96"));
        visa("pm_card_chargeCustomerFail", "0341",
                declines("card_declined", "Your card was declined.", "generic_decline", "try_again_later", "01"));
    }

    private static void blocking() {
        TestCard.Outcome blocked = new TestCard.Outcome.Declines("card_declined", "Your card was declined.",
                new ApiError.Decline(Optional.of("fraudulent"), Optional.empty(), Optional.empty()), true);
        visa("pm_card_radarBlock", "0019", blocked);
        visa("pm_card_riskLevelHighest", "4954", blocked);
    }

    private static void authenticating() {
        visa("pm_card_authenticationRequired", "3184", new TestCard.Outcome.Authenticates(AUTHENTICATION_REQUIRED));
        visa("pm_card_authenticationRequiredOnSetup", "3155", new TestCard.Outcome.Authenticates(AUTHENTICATION_REQUIRED));
        visa("pm_card_authenticationRequiredSetupForOffSession", "0446", new TestCard.Outcome.Authenticates(APPROVES));
        visa("pm_card_authenticationRequiredChargeDeclinedInsufficientFunds", "3178",
                new TestCard.Outcome.Authenticates(INSUFFICIENT_FUNDS));
    }

    private static TestCard.Outcome declines(String code, String message, String decline, String advice, String network) {
        return new TestCard.Outcome.Declines(code, message, new ApiError.Decline(named(decline), named(advice), named(network)), false);
    }

    private static Optional<String> named(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    private static void visaDecline(String name, String lastFour, TestCard.Outcome outcome) {
        visa("pm_card_visa_chargeDeclined" + name, lastFour, outcome);
        visa("pm_card_chargeDeclined" + name, lastFour, outcome);
    }

    private static void visa(String name, String lastFour, TestCard.Outcome outcome) {
        CARDS.put(name, new TestCard(name, "visa", lastFour, "credit", outcome));
    }

    private static void card(String name, String brand, String lastFour, String funding) {
        CARDS.put(name, new TestCard(name, brand, lastFour, funding, APPROVES));
    }
}
