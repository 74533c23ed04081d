// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.answer;

import io.chargeonce.http.Answer;
import io.chargeonce.wire.PaymentJson;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An error as RFC 9457 has it, with one more field: what the person does next.
 *
 * @param slug   the last part of the type; it never changes its meaning
 * @param detail what happened, in one sentence
 * @param next   what to do next, in one sentence
 */
public record ConsoleProblem(int status, String slug, String title, String detail, String next, Map<String, String> headers) {

    private static final String TYPE = "urn:chargeonce:problem:";

    public static ConsoleProblem of(int status, String slug, String title, String detail, String next) {
        return new ConsoleProblem(status, slug, title, detail, next, Map.of());
    }

    public ConsoleProblem with(String header, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new ConsoleProblem(status, slug, title, detail, next, more);
    }

    /** To be thrown. */
    public Refusal refusal() {
        return new Refusal(this);
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
        json.put("next", next);
        return PaymentJson.write(json);
    }
}
