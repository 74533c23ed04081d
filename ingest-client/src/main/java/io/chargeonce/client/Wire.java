// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What goes over the wire, both ways. */
final class Wire {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Wire() {}

    static byte[] body(NewPayment payment) {
        return MAPPER.writeValueAsBytes(fields(payment));
    }

    static byte[] body(NewRefund refund) {
        var fields = new LinkedHashMap<String, Object>();
        refund.amount().ifPresent(amount -> fields.put("amount", amount));
        refund.reference().ifPresent(text -> fields.put("reference", text));
        return MAPPER.writeValueAsBytes(fields);
    }

    /** With the key within, and the line break. */
    static byte[] line(NewPayment payment) {
        Map<String, Object> fields = fields(payment);
        fields.put("idempotency_key", payment.key());
        byte[] json = MAPPER.writeValueAsBytes(fields);
        byte[] line = java.util.Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    private static Map<String, Object> fields(NewPayment payment) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("amount", payment.amount());
        fields.put("currency", payment.currency());
        fields.put("payment_method", payment.paymentMethod());
        payment.customer().ifPresent(text -> fields.put("customer", text));
        payment.reference().ifPresent(text -> fields.put("reference", text));
        payment.description().ifPresent(text -> fields.put("description", text));
        payment.receiptEmail().ifPresent(text -> fields.put("receipt_email", text));
        return fields;
    }

    /** One line of a batch's answer, or empty fields if it is none. */
    static Answer answerOfLine(String line) {
        JsonNode json = MAPPER.readTree(line);
        return new Answer(json.path("status").asInt(0), MAPPER.writeValueAsBytes(json.path("body")),
                json.path("headers").has("Idempotent-Replayed"));
    }

    static int numberOfLine(String line) {
        return MAPPER.readTree(line).path("line").asInt(0);
    }

    static Optional<Duration> retryAfterOfLine(String line) {
        return MAPPER.readTree(line).path("headers").path("Retry-After").stringValueOpt().flatMap(Wire::seconds);
    }

    /** Empty if the text is no number: then the client's own pauses count. A number without end is as good as a year. */
    static Optional<Duration> seconds(String text) {
        return text.matches("\\d+")
                ? Optional.of(text.length() > 7 ? Duration.ofDays(365) : Duration.ofSeconds(Long.parseLong(text))) : Optional.empty();
    }

    /** @param body JSON, or whatever a proxy on the way made of it */
    record Answer(int status, byte[] body, boolean replay) {

        private static final String IN_USE = "urn:chargeonce:problem:idempotency-key-in-use";
        private static final Set<String> KEY_HOLDS_ANOTHER =
                Set.of("urn:chargeonce:problem:idempotency-key-reused", "urn:chargeonce:problem:refund-differs");

        /** Whether sending the same again can be answered otherwise. */
        boolean mayChange() {
            return status >= 500 || status == 429 || status == 408 || status == 409 && type().equals(IN_USE)
                    || isAccepted() && json().path("id").asString("").isEmpty();
        }

        /**
         * Whether it may have been accepted although this answer does not say so. Behind a 5xx, of the server or of a proxy, a
         * commit may have succeeded; a 429 comes before anything is tried.
         */
        boolean leavesDoubt() {
            return mayChange() && status != 429;
        }

        /**
         * Whether it is final also where an earlier sending may have been accepted, or may still be on its way. A refusal is final
         * then only if the key is known to hold something else for good; 401, say, is about the token and not about the payment.
         */
        boolean endsDoubt() {
            return isAccepted() || KEY_HOLDS_ANOTHER.contains(type());
        }

        /** For people. */
        String told() {
            return "the server answered " + status + " " + type();
        }

        Sent sent(int sends) {
            JsonNode json = json();
            return isAccepted()
                    ? new Sent.Accepted(json.path("id").asString(""), json.path("status").asString(""), replay, sends)
                    : new Sent.Refused(status, type(), json.path("detail").asString(""), errors(json), sends);
        }

        private static List<Sent.FieldError> errors(JsonNode problem) {
            return problem.path("errors").valueStream()
                    .map(error -> new Sent.FieldError(error.path("field").asString(""), error.path("detail").asString(""))).toList();
        }

        String type() {
            return json().path("type").asString("");
        }

        private boolean isAccepted() {
            return status >= 200 && status < 300;
        }

        private JsonNode json() {
            try {
                return MAPPER.readTree(body);
            } catch (JacksonException e) {
                return MAPPER.missingNode();
            }
        }
    }
}
