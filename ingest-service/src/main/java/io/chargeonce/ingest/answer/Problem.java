// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

import io.chargeonce.http.Answer;
import io.chargeonce.wire.PaymentJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An error as RFC 9457 has it. The type is for programs and never changes its meaning; the detail is for people and says
 * what to do next. Neither ever repeats a value that was sent: it may be a card number.
 *
 * @param slug   the last part of the type
 * @param errors each field, header or parameter that is wrong
 * @param payment where to look, when a payment is what this is about
 */
public record Problem(int status, String slug, String title, String detail, List<FieldError> errors,
        Optional<String> payment, Map<String, String> headers) {

    static final String STORED = "Idempotency-Stored";
    private static final String TYPE = "urn:chargeonce:problem:";

    /** @param field the name of a top-level field, header or parameter, as its sender knows it */
    public record FieldError(String field, String detail) {}

    static Problem of(int status, String slug, String title, String detail) {
        return new Problem(status, slug, title, detail, List.of(), Optional.empty(), Map.of(STORED, "false"));
    }

    Problem withErrors(List<FieldError> fieldErrors) {
        return new Problem(status, slug, title, detail, fieldErrors, payment, headers);
    }

    Problem withError(String field, String detail) {
        return withErrors(List.of(new FieldError(field, detail)));
    }

    /** The same with what else is wrong. */
    public Problem and(List<FieldError> more) {
        return withErrors(Stream.concat(errors.stream(), more.stream()).toList());
    }

    /** @param path of the payment that this is about */
    Problem withPayment(String path) {
        return new Problem(status, slug, title, detail, errors, Optional.of(path), headers);
    }

    Problem with(String header, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Problem(status, slug, title, detail, errors, payment, more);
    }

    public Answer answer() {
        return Answer.problem(status, headers, body(), slug);
    }

    /** The whole response, for a connection of which nothing was read; it is closed behind it. */
    public byte[] asHttp() {
        return answer().asHttp(title);
    }

    private byte[] body() {
        var json = new LinkedHashMap<String, Object>();
        json.put("type", TYPE + slug);
        json.put("title", title);
        json.put("status", status);
        json.put("detail", detail);
        if (!errors.isEmpty()) {
            json.put("errors", errors);
        }
        payment.ifPresent(path -> json.put("payment", path));
        return PaymentJson.write(json);
    }
}
