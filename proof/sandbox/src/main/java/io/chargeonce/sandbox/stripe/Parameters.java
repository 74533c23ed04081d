// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Metadata;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads and checks single parameters. Every refusal comes before execution and names the parameter. */
final class Parameters {
    private static final long LARGEST_AMOUNT = 99_999_999;
    private static final int MOST_METADATA = 50;
    private static final int LONGEST_METADATA_NAME = 40;
    private static final int LONGEST_METADATA_VALUE = 500;

    private Parameters() {}

    static String required(Form form, String name) {
        return form.text(name).orElseThrow(() -> StripeRefusal.beforeExecution(
                ApiError.invalidRequest(400, "Missing required param: " + name + ".").code("parameter_missing").param(name)));
    }

    static long requiredAmount(Form form) {
        required(form, "amount");
        return amount(form).orElseThrow();
    }

    static Optional<Long> amount(Form form) {
        return form.text("amount").map(text -> {
            long amount = integer("amount", text);
            if (amount < 1) {
                throw invalidInteger("amount", "This value must be greater than or equal to 1.");
            }
            if (amount > LARGEST_AMOUNT) {
                throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Amount must be no more than " + LARGEST_AMOUNT)
                        .code("amount_too_large").param("amount"));
            }
            return amount;
        });
    }

    static int limit(Form form) {
        long limit = form.text("limit").map(text -> integer("limit", text)).orElse(10L);
        if (limit < 1 || limit > 100) {
            throw invalidInteger("limit", "This value must be between 1 and 100.");
        }
        return (int) limit;
    }

    static long integer(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw invalidInteger(name, "Invalid integer: " + text);
        }
    }

    private static StripeRefusal invalidInteger(String name, String message) {
        return StripeRefusal.beforeExecution(ApiError.invalidRequest(400, message).code("parameter_invalid_integer").param(name));
    }

    static void oneOf(Form form, String name, Set<String> allowed) {
        form.text(name).filter(value -> !allowed.contains(value)).ifPresent(value -> {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Invalid " + name + ": must be one of "
                    + String.join(", ", allowed.stream().sorted().toList())).param(name));
        });
    }

    static void customer(Form form) {
        form.text("customer").filter(id -> !id.startsWith("cus_")).ifPresent(id -> {
            throw missing("customer", id, "customer", 400);
        });
    }

    static void receiptEmail(Form form) {
        form.text("receipt_email").filter(email -> !email.matches("[^@]+@[^@]+\\.[^@]+")).ifPresent(email -> {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Invalid email address: " + email).code("email_invalid")
                    .param("receipt_email"));
        });
    }

    /** Stripe's answer to an id that it does not know: 404 for the object of the path, 400 for one in a parameter. */
    static StripeRefusal missing(String what, String id, String param, int status) {
        return StripeRefusal.inExecution(ApiError.invalidRequest(status, "No such " + what + ": '" + id + "'")
                .code("resource_missing").param(param));
    }

    /** The metadata after this request: an empty value removes a name, and all of it may be removed at once. */
    static Map<String, String> metadata(Form form, Map<String, String> before) {
        Map<String, String> metadata = new LinkedHashMap<>(form.has("metadata") ? Map.of() : before);
        form.map("metadata").forEach((name, value) -> {
            if (value.isEmpty()) {
                metadata.remove(name);
            } else {
                metadata.put(checkedName(name), checkedValue(name, value));
            }
        });
        if (metadata.size() > MOST_METADATA) {
            throw invalidMetadata("Metadata can have at most " + MOST_METADATA + " keys.");
        }
        return metadata;
    }

    private static String checkedName(String name) {
        if (name.length() > LONGEST_METADATA_NAME) {
            throw invalidMetadata("Metadata keys can have up to " + LONGEST_METADATA_NAME + " characters: " + name);
        }
        return name;
    }

    private static String checkedValue(String name, String value) {
        if (value.length() > LONGEST_METADATA_VALUE) {
            throw invalidMetadata("Metadata values can have up to " + LONGEST_METADATA_VALUE + " characters: " + name);
        }
        return value;
    }

    private static StripeRefusal invalidMetadata(String message) {
        return StripeRefusal.beforeExecution(ApiError.invalidRequest(400, message).param("metadata"));
    }
}
