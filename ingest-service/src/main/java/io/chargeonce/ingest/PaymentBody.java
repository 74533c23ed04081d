package io.chargeonce.ingest;

import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.PaymentJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a payment request from its bytes, strictly, and names everything that is wrong with it at once. */
final class PaymentBody {

    private static final String RULES = " breaks a rule: RFC 8259 JSON in UTF-8, no field twice, nothing after the object, "
            + "at most 16 levels deep, names of at most 256 characters, numbers of at most 32 digits.";

    private PaymentBody() {}

    static Checked<PaymentRequest> read(byte[] body) {
        return switch (parse(body)) {
            case Checked.Right<ObjectNode> right -> read(right.value());
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
        };
    }

    static Checked<ObjectNode> parse(byte[] body) {
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

    static Checked<PaymentRequest> read(ObjectNode json) {
        List<Problem.FieldError> cardNumbers = cardNumbers(json, PaymentFields::isKnown);
        return cardNumbers.isEmpty() ? PaymentFields.read(json) : new Checked.Wrong<>(Problems.cardNumber(cardNumbers));
    }

    /** The parser's own message may quote the input, so only the place is taken from it; a limit has none. */
    private static String place(JacksonException e) {
        return Optional.ofNullable(e.getLocation())
                .map(at -> "Near line %d, column %d it".formatted(Math.max(1, at.getLineNr()), Math.max(1, at.getColumnNr())))
                .orElse("It");
    }

    static List<Problem.FieldError> cardNumbers(JsonNode json, Predicate<String> known) {
        return json.properties().stream()
                .filter(field -> CardNumbers.isIn(field.getKey()) || texts(field.getValue()).anyMatch(CardNumbers::isIn))
                .map(field -> known.test(field.getKey()) ? field.getKey() : "(a field that does not belong here)")
                .distinct()
                .map(field -> new Problem.FieldError(field, "holds 13 to 19 digits with a card's check digit"))
                .toList();
    }

    /** Every name and every value within, numbers too. */
    private static Stream<String> texts(JsonNode node) {
        if (!node.isContainer()) {
            return Stream.of(node.asString());
        }
        Stream<String> names = node.properties().stream().map(Map.Entry::getKey);
        return Stream.concat(names, node.valueStream().flatMap(PaymentBody::texts));
    }
}
