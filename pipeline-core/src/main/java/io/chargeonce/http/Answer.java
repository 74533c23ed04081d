// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one HTTP request is answered with.
 *
 * @param outcome how the meters count it; one of few words
 */
public record Answer(int status, Map<String, String> headers, byte[] body, String outcome) {

    /** An error as RFC 9457 has it. */
    public static Answer problem(int status, Map<String, String> headers, byte[] body, String slug) {
        var all = new LinkedHashMap<>(headers);
        all.put("Content-Type", "application/problem+json");
        return new Answer(status, all, body, slug);
    }

    /** The whole response, for a connection of which nothing was read; it is closed behind it. */
    public byte[] asHttp(String reason) {
        var head = new StringBuilder("HTTP/1.1 %d %s\r\n".formatted(status, reason));
        headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Connection: close\r\nContent-Length: ").append(body.length).append("\r\n\r\n");
        byte[] whole = Arrays.copyOf(head.toString().getBytes(StandardCharsets.US_ASCII), head.length() + body.length);
        System.arraycopy(body, 0, whole, head.length(), body.length);
        return whole;
    }
}
