// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The card that a payment names: either by test fields ({@code test_} and the plain value, as Adyen's test environment takes
 * instead of encrypted ones), or as one stored in the merchant's vault.
 *
 * @param redirects whether its issuer wants to see the shopper (3D Secure)
 */
record Card(String brand, String holderName, boolean valid, boolean redirects) {
    private static final Pattern NUMBER = Pattern.compile("test_(\\d{13,19})");
    /** Published as a Visa card with a 3D Secure challenge. */
    private static final String CHALLENGED = "4212345678910006";
    private static final String STORED = "stored_";
    /** {@code stored_of_NAME} is an approved card that is stored under the shopper {@code NAME}, and charged under no other. */
    private static final String STORED_OF = STORED + "of_";
    /** As the published API description of the versions 71 and 72 has them. */
    private static final int SHORTEST_SHOPPER = 3;
    private static final int LONGEST_SHOPPER = 256;
    private static final int LONGEST_STORED = 64;

    static Card of(AdyenCall call, Map<String, String> vault) {
        JsonNode method = call.body().path("paymentMethod");
        if (!method.isObject()) {
            throw AdyenRefusal.invalid("14_004", "Missing payment method details");
        }
        String stored = method.path("storedPaymentMethodId").asString("");
        return stored.isEmpty() ? typedIn(method) : stored(call, stored, vault);
    }

    private static Card typedIn(JsonNode method) {
        var number = NUMBER.matcher(method.path("encryptedCardNumber").asString(""));
        if (!number.matches() || !passesLuhn(number.group(1))) {
            throw AdyenRefusal.invalid("101", "Invalid card number");
        }
        boolean valid = method.path("encryptedExpiryMonth").asString("").equals("test_03")
                && method.path("encryptedExpiryYear").asString("").equals("test_2030")
                && method.path("encryptedSecurityCode").asString("").matches("test_7373?");
        return new Card(brand(number.group(1)), method.path("holderName").asString(""), valid,
                number.group(1).equals(CHALLENGED));
    }

    private static Card stored(AdyenCall call, String id, Map<String, String> vault) {
        if (call.text("shopperReference").isEmpty()) {
            throw AdyenRefusal.invalid("130", "Required field 'shopperReference' is not provided.");
        }
        int shopper = call.text("shopperReference").map(text -> text.codePointCount(0, text.length())).orElse(0);
        if (shopper < SHORTEST_SHOPPER || shopper > LONGEST_SHOPPER || id.length() > LONGEST_STORED) {
            throw AdyenRefusal.invalid("702", "shopperReference must have 3 to 256 characters, and storedPaymentMethodId at most 64.");
        }
        String holderName = Optional.ofNullable(vault.get(id)).or(() -> builtIn(id)).or(() -> ofShopper(id, call.text("shopperReference")))
                .orElseThrow(() -> AdyenRefusal.invalid("800", "Contract not found"));
        return new Card("visa", holderName, true, false);
    }

    private static Optional<String> builtIn(String id) {
        return Optional.of(id).filter(name -> name.startsWith(STORED))
                .map(name -> name.substring(STORED.length()).toUpperCase(Locale.ROOT))
                .filter(name -> TestOutcome.named(name).isPresent());
    }

    private static Optional<String> ofShopper(String id, Optional<String> shopper) {
        return shopper.filter(name -> id.equals(STORED_OF + name)).map(name -> TestOutcome.APPROVED.name());
    }

    private static String brand(String number) {
        return switch (number.charAt(0)) {
            case '4' -> "visa";
            case '3' -> "amex";
            default -> "mc";
        };
    }

    private static boolean passesLuhn(String number) {
        int sum = 0;
        for (int i = 0; i < number.length(); i++) {
            int digit = number.charAt(number.length() - 1 - i) - '0';
            int counted = i % 2 == 0 ? digit : digit * 2;
            sum += counted > 9 ? counted - 9 : counted;
        }
        return sum % 10 == 0;
    }

    /** What the issuer says. A wrong expiry date or security code is a generic refusal, as published. */
    TestOutcome outcome(AdyenCall call) {
        Optional<TestOutcome> wanted = TestOutcome.numbered(
                call.body().path("additionalData").path("RequestedTestAcquirerResponseCode").asString(""));
        if (!valid) {
            return TestOutcome.DECLINED;
        }
        return wanted.or(() -> TestOutcome.named(holderName)).orElse(TestOutcome.APPROVED);
    }

    /** Published: a payment of this holder can be refunded, but the refund fails later. */
    boolean refundsFail() {
        return holderName.equalsIgnoreCase("refund failed");
    }
}
