// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.PaymentJson;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a payment request from its bytes, strictly, and names everything that is wrong with it at once. */
public final class PaymentBody {

    private static final char BYTE_ORDER_MARK = '\uFEFF';
    private static final String UNKNOWN = "(a field that does not belong here)";

    private PaymentBody() {}

    public static Checked<PaymentRequest> read(byte[] body) {
        return read(body, RequestForm.PAYMENT);
    }

    public static Checked<PaymentRequest> read(byte[] body, RequestForm form) {
        return switch (parse(body, form, 1)) {
            case Checked.Right<ObjectNode> right -> read(right.value(), form);
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
        };
    }

    /** @param firstLine the number that its sender gives the first line */
    public static Checked<ObjectNode> parse(byte[] body, RequestForm form, long firstLine) {
        JsonNode json;
        try {
            json = PaymentJson.MAPPER.readTree(text(body));
        } catch (JacksonException | CharacterCodingException e) {
            return malformed(form, JsonFault.of(body, form, firstLine));
        }
        return switch (json) {
            case ObjectNode object -> new Checked.Right<>(object);
            case MissingNode nothing -> malformed(form, JsonFault.of(body, form, firstLine));
            default -> malformed(form, "The %s is %s. Send %s.".formatted(form.whole(), kind(json), form.example()));
        };
    }

    /** Given bytes, the parser guesses their encoding and takes characters of too many bytes, so that others could read another request. */
    private static String text(byte[] body) throws CharacterCodingException {
        CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
        return text.length() > 0 && text.charAt(0) == BYTE_ORDER_MARK ? text.subSequence(1, text.length()).toString() : text.toString();
    }

    private static Checked<ObjectNode> malformed(RequestForm form, String detail) {
        return new Checked.Wrong<>(Problems.malformed(form, detail));
    }

    private static String kind(JsonNode json) {
        return switch (json.getNodeType()) {
            case ARRAY -> "an array";
            case STRING -> "a string";
            case NUMBER -> "a number";
            case BOOLEAN -> "true or false";
            case NULL, MISSING, OBJECT, BINARY, POJO -> "null";
        };
    }

    public static Checked<PaymentRequest> read(ObjectNode json, RequestForm form) {
        List<String> cardNumbers = cardNumbers(json, PaymentFields.KNOWN);
        return cardNumbers.isEmpty() ? PaymentFields.read(json, form) : new Checked.Wrong<>(Problems.cardNumber(form, cardNumbers));
    }

    /** The fields that hold what can be a card number, in a name or a value, however deep. An unknown name is not repeated. */
    public static List<String> cardNumbers(JsonNode json, Collection<String> known) {
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
