// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Raw results, one file per run of a bench, kept for ever. */
public record Results(Path folder) {

    private static final JsonMapper JSON = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final JsonMapper LINE = new JsonMapper();
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    public static String line(Map<String, ?> result) {
        return LINE.writeValueAsString(result);
    }

    /** @param name the bench and what it was set to: two runs with the same name measure the same thing */
    public void keep(String name, Map<String, ?> result) {
        try {
            Files.createDirectories(folder);
            Files.write(folder.resolve(name + "-" + STAMP.format(Instant.now()) + ".json"), JSON.writeValueAsBytes(result));
        } catch (IOException e) {
            throw new UncheckedIOException("the result cannot be kept in " + folder + ": " + e.getMessage(), e);
        }
    }

    /** Oldest first. */
    public List<JsonNode> of(String name) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(name + "-\\d{8}-\\d{6}\\.json")).sorted()
                    .map(file -> JSON.readTree(file)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the results cannot be read from " + folder + ": " + e.getMessage(), e);
        }
    }
}
