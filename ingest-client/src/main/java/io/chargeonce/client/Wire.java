// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What goes over the wire, both ways. */
final class Wire {

    private static final String REPLAYED = "Idempotent-Replayed";
    private static final String STATUS_NOW = "Payment-Status";
    private static final JsonMapper MAPPER = new JsonMapper();

    private Wire() {}

    static byte[] body(NewPayment payment) {
        return MAPPER.writeValueAsBytes(fields(payment));
    }

    static byte[] body(NewPaymentMethod method) {
        var tokens = new TreeMap<String, Map<String, String>>();
        method.tokens().forEach((account, token) -> tokens.put(account, new TreeMap<>(token)));
        return MAPPER.writeValueAsBytes(new TreeMap<>(Map.of("customer", method.customer(), "tokens", tokens)));
    }

    static byte[] body(NewRefund refund) {
        var fields = new LinkedHashMap<String, Object>();
        refund.amount().ifPresent(amount -> fields.put("amount", amount));
        refund.reference().ifPresent(text -> fields.put("reference", text));
        return MAPPER.writeValueAsBytes(fields);
    }

    static byte[] cancel(Optional<String> reason) {
        return MAPPER.writeValueAsBytes(reason.map(text -> Map.of("reason", text)).orElse(Map.of()));
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
        payment.initiator().ifPresent(one -> fields.put("initiator", one.name().toLowerCase(Locale.ROOT)));
        if (payment.byBankDebit()) {
            fields.put("rail", "bank_debit");
        }
        return fields;
    }

    /**
     * One line of a batch's answers.
     *
     * @param payment    which of the payments it is about, from 0
     * @param retryAfter as the server wishes
     */
    record AnswerLine(int payment, Answer answer, Optional<Duration> retryAfter) {}

    /**
     * @param nth      which line of the answers it is, from 1; for people
     * @param payments how many were sent
     * @throws IOException if it is no answer to any of them
     */
    static AnswerLine answerLine(String line, int nth, int payments) throws IOException {
        JsonNode json;
        try {
            json = MAPPER.readTree(line);
        } catch (JacksonException e) {
            throw new IOException("line " + nth + " of the answers is not JSON, so the connection or a proxy broke it", e);
        }
        int number = json.path("line").asInt(0);
        if (number < 1 || number > payments) {
            throw new IOException("line " + nth + " of the answers has the number " + number + ", but the lines from 1 to " + payments
                    + " were sent");
        }
        JsonNode headers = json.path("headers");
        return new AnswerLine(number - 1,
                new Answer(json.path("status").asInt(0), MAPPER.writeValueAsBytes(json.path("body")), headers.has(REPLAYED),
                        headers.path(STATUS_NOW).stringValueOpt()),
                headers.path("Retry-After").stringValueOpt().flatMap(text -> RetryAfter.parse(text, Instant.now())));
    }

    static Answer answer(HttpResponse<byte[]> answer) {
        return new Answer(answer.statusCode(), answer.body(), answer.headers().firstValue(REPLAYED).isPresent(),
                answer.headers().firstValue(STATUS_NOW));
    }

    /**
     * @param body      JSON, unless a proxy answered
     * @param statusNow how the payment stands, if an earlier request had been accepted
     */
    record Answer(int status, byte[] body, boolean replay, Optional<String> statusNow) {

        private static final String NOT_FOUND = "urn:chargeonce:problem:not-found";
        private static final String IN_USE = "urn:chargeonce:problem:idempotency-key-in-use";
        private static final Set<String> FINAL = Set.of("urn:chargeonce:problem:idempotency-key-reused",
                "urn:chargeonce:problem:refund-differs", "urn:chargeonce:problem:already-captured",
                "urn:chargeonce:problem:payment-declined");

        /** Whether the same request can get another answer later. */
        boolean mayChange() {
            return isOfTheMoment() || status == 409 && type().equals(IN_USE) || isAccepted() && json().path("id").asString("").isEmpty();
        }

        /** Whether the server is busy, or unwell. */
        boolean isOfTheMoment() {
            return status >= 500 || status == 429 || status == 408;
        }

        /** Whether a read was answered, or refused only because the token's scopes do not include it. */
        boolean knowsToken() {
            return found(json -> json).isPresent() || status == 403 && type().equals("urn:chargeonce:problem:scope-missing");
        }

        /** The payments or methods that were read. Empty if this is no answer to a read. */
        <T> Optional<List<T>> found(Function<JsonNode, T> read) {
            JsonNode json = json();
            if (status == 404 && type().equals(NOT_FOUND)) {
                return Optional.of(List.of());
            }
            if (status == 200 && json.path("data").isArray()) {
                return Optional.of(json.path("data").valueStream().map(read).toList());
            }
            return status == 200 && json.has("id") ? Optional.of(List.of(read.apply(json))) : Optional.empty();
        }

        static PaymentMethod method(JsonNode json) {
            return new PaymentMethod(json.path("id").asString(""), json.path("customer").asString(""),
                    json.path("psps").valueStream().map(psp -> psp.asString("")).toList(), json.has("detached_at"));
        }

        static Payment payment(JsonNode json) {
            return new Payment(json.path("id").asString(""), json.path("status").asString(""), json.path("amount").asLong(0),
                    json.path("currency").asString(""), json.path("amount_refunded").asLong(0), json.path("decline_code").stringValueOpt(),
                    json.path("purge").path("final").asBoolean(false));
        }

        /**
         * Whether it may have been accepted although this answer does not say so. Behind a 5xx, of the server or of a proxy, a
         * commit may have succeeded; a 429 comes before anything is tried.
         */
        boolean leavesDoubt() {
            return mayChange() && status != 429;
        }

        /**
         * Whether it is final even if an earlier sending may have been accepted or may still be on its way. Then a refusal is final only
         * if the key holds something else for good, or the payment to be canceled has ended. A 401, for example, is about the token and
         * not about the payment.
         */
        boolean endsDoubt() {
            return isAccepted() || FINAL.contains(type());
        }

        String inWords() {
            return "the server answered " + status + (type().isEmpty() ? ", and not in the way of Chargeonce" : " " + type());
        }

        Sent sent(int sends) {
            JsonNode json = json();
            return isAccepted()
                    ? new Sent.Accepted(json.path("id").asString(""), statusNow.orElse(json.path("status").asString("")), replay, sends)
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
