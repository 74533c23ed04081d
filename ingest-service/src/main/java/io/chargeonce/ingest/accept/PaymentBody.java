// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.PaymentJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a payment request from its bytes, strictly, and names everything that is wrong with it at once. */
public final class PaymentBody {

    private static final String RULES = " breaks a rule: RFC 8259 JSON in UTF-8, no field twice, nothing after the object, "
            + "at most 16 levels deep, names of at most 256 characters, numbers of at most 32 digits.";
    private static final String UNKNOWN = "(a field that does not belong here)";

    private PaymentBody() {}

    public static Checked<PaymentRequest> read(byte[] body) {
        return switch (parse(body)) {
            case Checked.Right<ObjectNode> right -> read(right.value());
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
        };
    }

    public static Checked<ObjectNode> parse(byte[] body) {
        JsonNode json;
        try {
            json = PaymentJson.MAPPER.readTree(body);
        } catch (JacksonException e) {
            return new Checked.Wrong<>(Problems.malformed(place(e) + RULES));
        }
        return json instanceof ObjectNode object
                ? new Checked.Right<>(object)
                : new Checked.Wrong<>(Problems.malformed("Send an object with at least amount, currency and payment_method."));
    }

    public static Checked<PaymentRequest> read(ObjectNode json) {
        List<String> cardNumbers = cardNumbers(json, PaymentFields.KNOWN);
        return cardNumbers.isEmpty() ? PaymentFields.read(json) : new Checked.Wrong<>(Problems.cardNumber(cardNumbers));
    }

    /** The parser's own message may quote the input, so only the place is taken from it; a limit has none. */
    private static String place(JacksonException e) {
        return Optional.ofNullable(e.getLocation())
                .map(at -> "Near line %d, column %d it".formatted(Math.max(1, at.getLineNr()), Math.max(1, at.getColumnNr())))
                .orElse("It");
    }

    /** The fields that hold what can be a card number, in a name or a value, however deep. A name that is not known is not told. */
    public static List<String> cardNumbers(JsonNode json, Set<String> known) {
        var fields = new ArrayList<String>(0);
        for (Map.Entry<String, JsonNode> field : json.properties()) {
            String name = known.contains(field.getKey()) ? field.getKey() : UNKNOWN;
            boolean named = name.equals(UNKNOWN) && CardNumbers.isIn(field.getKey());
            if ((named || isIn(field.getValue())) && !fields.contains(name)) {
                fields.add(name);
            }
        }
        return fields;
    }

    private static boolean isIn(JsonNode node) {
        if (!node.isContainer()) {
            return CardNumbers.isIn(node.asString());
        }
        for (String name : node.propertyNames()) {
            if (CardNumbers.isIn(name)) {
                return true;
            }
        }
        for (JsonNode value : node) {
            if (isIn(value)) {
                return true;
            }
        }
        return false;
    }
}
