// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.http.Answer;
import io.chargeonce.runtime.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The page's files, from the class path. A name has only letters, digits, dots, dashes and underscores, and no part of a path begins with
 * a dot: no path leads out of the folder. A path without a dot is a place on the page, which index.html shows. Any thread.
 */
final class StaticFiles {

    private static final String FOLDER = "/io/chargeonce/console/page";
    private static final String INDEX = "/index.html";
    private static final Pattern FILE = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}){1,5}");
    private static final Map<String, String> TYPES = Map.ofEntries(Map.entry("html", "text/html; charset=utf-8"),
            Map.entry("js", "text/javascript; charset=utf-8"), Map.entry("mjs", "text/javascript; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"), Map.entry("svg", "image/svg+xml"), Map.entry("png", "image/png"),
            Map.entry("ico", "image/x-icon"), Map.entry("json", "application/json"), Map.entry("txt", "text/plain; charset=utf-8"),
            Map.entry("md", "text/plain; charset=utf-8"), Map.entry("woff2", "font/woff2"), Map.entry("webmanifest",
                    "application/manifest+json"));

    private record Kept(byte[] bytes, String type, String etag) {}

    /** Only files that are there. */
    private final Map<String, Kept> kept = new ConcurrentHashMap<>();

    /** @param known what the client says it has, as If-None-Match lists it */
    Answer answer(String path, String known) {
        String name = path.indexOf('.') < 0 ? INDEX : path;
        Kept file = find(name).orElseThrow(() -> ConsoleProblems.notFound().refusal());
        var headers = new LinkedHashMap<String, String>();
        headers.put("ETag", file.etag);
        // Asked for each time, and answered with 304 while it is the same: a new console never meets an old page.
        headers.put("Cache-Control", "no-cache");
        if (known.contains(file.etag)) {
            return new Answer(304, headers, new byte[0], "unchanged");
        }
        headers.put("Content-Type", file.type);
        return new Answer(200, headers, file.bytes, "file");
    }

    private Optional<Kept> find(String name) {
        Kept known = kept.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<String> type = type(name);
        if (type.isEmpty() || !FILE.matcher(name).matches() || name.contains("..")) {
            return Optional.empty();
        }
        try (InputStream in = StaticFiles.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                return Optional.empty();
            }
            byte[] bytes = in.readAllBytes();
            var file = new Kept(bytes, type.get(), '"' + HexFormat.of().formatHex(Sha256.of(bytes), 0, 16) + '"');
            kept.put(name, file);
            return Optional.of(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<String> type(String name) {
        return Optional.ofNullable(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
    }
}
