// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.record;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * What was run on one commit, in a file of its own: JSON with a line for each run, which is replaced when it is run again. A process that
 * is killed leaves the old file or the new one, and several may write. For one thread.
 */
public final class Results {

    static final Path FOLDER = Path.of("proof", "results");

    private static final JsonMapper JSON = new JsonMapper();
    private static final String KIND = "kind";
    private static final String NAME = "name";
    private static final DateTimeFormatter MINUTE = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");

    private final Path root;
    private final Path file;
    private final String commit;
    private final Map<String, Run> runs = new TreeMap<>();

    private Results(Path root, String commit) {
        this.root = root;
        this.file = root.resolve(FOLDER).resolve(commit + ".json");
        this.commit = commit;
    }

    /** @param root a checkout, into whose folder the file is written */
    public static Results of(Path root, String commit) throws IOException {
        var results = new Results(root, commit);
        results.read();
        return results;
    }

    private void read() throws IOException {
        if (Files.exists(file)) {
            read(file).forEach(this::put);
        }
    }

    /** Held while results or pages are written; processes wait for each other. Given back when it is closed. */
    static FileChannel lock(Path root) throws IOException {
        FileChannel lock = FileChannel.open(Files.createDirectories(root.resolve(".chargeonce")).resolve("results.lock"),
                StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lock.lock();
        return lock;
    }

    static List<Run> read(Path file) throws IOException {
        return JSON.readTree(Files.readString(file)).valueStream().map(row -> {
            var cells = new LinkedHashMap<String, String>();
            row.forEachEntry((heading, text) -> cells.put(heading, text.asString()));
            return new Run(cells.remove(KIND), cells.remove(NAME), cells);
        }).toList();
    }

    public Path file() {
        return file;
    }

    public List<Run> all() {
        return List.copyOf(runs.values());
    }

    public Optional<Run> find(String kind, String name) {
        return Optional.ofNullable(runs.get(key(kind, name)));
    }

    /** Writes it, with the commit and the time, to what is in the file by now. */
    public void keep(Run run) throws IOException {
        try (FileChannel lock = lock(root)) {
            read();
            write(run);
        }
    }

    private void write(Run run) throws IOException {
        put(run.with(Run.COMMIT, commit).with(Run.TIME, LocalDateTime.now(ZoneOffset.UTC).format(MINUTE)));
        Path whole = Files.writeString(file.resolveSibling(commit + ".new"),
                runs.values().stream().map(Results::line).collect(Collectors.joining(",\n", "[\n", "\n]\n")));
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void put(Run run) {
        runs.put(key(run.kind(), run.name()), run);
    }

    static String key(String kind, String name) {
        return kind + " " + name;
    }

    private static String line(Run run) {
        var line = new LinkedHashMap<>(Map.of(KIND, run.kind()));
        line.put(NAME, run.name());
        line.putAll(run.cells());
        return JSON.writeValueAsString(line);
    }
}
