// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.http;

import java.util.LinkedHashMap;
import java.util.Map;

/** What goes back to the client: an answer, or one of the ways in which an answer does not arrive. */
public sealed interface HttpAnswer {
    /** A whole answer. */
    record Full(int status, Map<String, String> headers, byte[] body) implements HttpAnswer {
        public Full with(String name, String value) {
            Map<String, String> more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Full(status, more, body);
        }
    }

    /** The head of an answer that promises the whole body, half of the body, and the end of the connection. */
    record Truncated(Full whole) implements HttpAnswer {}

    /** The connection is closed in an orderly way (FIN) without an answer. */
    record Closed() implements HttpAnswer {}

    /** The connection is reset (RST) without an answer. */
    record Reset() implements HttpAnswer {}
}
