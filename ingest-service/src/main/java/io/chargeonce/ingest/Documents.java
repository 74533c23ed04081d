// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.http.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** What this service says about itself, as files beside its classes. */
enum Documents {
    /** The contract, for programs. */
    OPENAPI("openapi.yaml", "application/yaml"),
    /** The same for Kafka. */
    ASYNCAPI("asyncapi.yaml", "application/yaml"),
    /** The same in short, for people. */
    PAGE("page.html", "text/html; charset=utf-8");

    private final Answer answer;

    Documents(String file, String type) {
        try (InputStream in = Documents.class.getResourceAsStream(file)) {
            answer = new Answer(200, Map.of("Content-Type", type), in.readAllBytes(), "document");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Answer answer() {
        return answer;
    }
}
