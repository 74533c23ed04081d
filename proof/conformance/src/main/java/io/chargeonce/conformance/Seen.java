// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Optional;

/** One answer of the server. */
record Seen(int status, HttpHeaders headers, String body) {

    private static final List<String> REPEATED = List.of("content-type", "location");

    boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    boolean isRefusal() {
        return status >= 400 && status < 500;
    }

    /** The same answer, byte for byte, and the headers that say what it means. */
    boolean isTheSameAs(Seen other) {
        return status == other.status && body.equals(other.body)
                && REPEATED.stream().allMatch(name -> header(name).equals(other.header(name)));
    }

    Optional<String> header(String name) {
        return headers.firstValue(name);
    }

    /** For a report: never the whole body, which may be long. */
    @Override
    public String toString() {
        String line = body.replaceAll("\\s+", " ");
        return status + " " + (line.length() <= 160 ? line : line.substring(0, 159) + "…");
    }
}
