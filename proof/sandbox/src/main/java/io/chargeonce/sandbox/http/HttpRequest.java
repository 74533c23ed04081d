// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.http;

import java.util.Map;
import java.util.Optional;

/** One request as it came: the path and query still encoded, header names in lower case. Immutable but for the body. */
public record HttpRequest(String method, String path, String query, Map<String, String> headers, byte[] body) {
    public HttpRequest {
        headers = Map.copyOf(headers);
    }

    public Optional<String> header(String lowerCaseName) {
        return Optional.ofNullable(headers.get(lowerCaseName));
    }
}
