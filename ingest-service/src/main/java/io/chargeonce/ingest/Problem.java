package io.chargeonce.ingest;

import io.chargeonce.wire.PaymentJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An error as RFC 9457 has it. The type is for programs and never changes its meaning; the detail is for people and says
 * what to do next. Neither ever repeats a value that was sent: it may be a card number.
 *
 * @param slug   the last part of the type
 * @param errors each field that is wrong, when the body's fields are what is wrong
 */
record Problem(int status, String slug, String title, String detail, List<FieldError> errors, Map<String, String> headers) {

    static final String STORED = "Idempotency-Stored";
    private static final String TYPE = "urn:chargeonce:problem:";

    /** @param field a top-level field's name */
    record FieldError(String field, String detail) {}

    static Problem of(int status, String slug, String title, String detail) {
        return new Problem(status, slug, title, detail, List.of(), Map.of(STORED, "false"));
    }

    Problem withErrors(List<FieldError> fieldErrors) {
        return new Problem(status, slug, title, detail, fieldErrors, headers);
    }

    Problem with(String header, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Problem(status, slug, title, detail, errors, more);
    }

    Answer answer() {
        var all = new LinkedHashMap<>(headers);
        all.put("Content-Type", "application/problem+json");
        return new Answer(status, all, body(), slug);
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
        return PaymentJson.write(json);
    }
}
