// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file of the runs on record: a line of JSON for each, replaced when it is run again. The pages beside the file have their tables of
 * runs from it: each follows a line {@code <!-- runs: KIND -->}. For one thread.
 */
public final class Runs {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String MARK = "<!-- runs: ";
    private static final String KIND = "kind";
    private static final String NAME = "name";

    private final Path file;
    private final Map<String, Run> runs = new TreeMap<>();

    private Runs(Path file) {
        this.file = file;
    }

    /** With what the file has, if it exists. */
    public static Runs in(Path file) throws IOException {
        var runs = new Runs(file);
        if (Files.exists(file)) {
            Files.readAllLines(file).forEach(line -> runs.put(read(line)));
        }
        return runs;
    }

    /** Writes the run, too. */
    public void keep(Run run) throws IOException {
        put(run);
        write();
    }

    /** Writes the file again, and the tables of the pages beside it. */
    public void write() throws IOException {
        Files.writeString(file, runs.values().stream().map(each -> line(each) + "\n").collect(Collectors.joining()));
        for (Path page : pages()) {
            Files.writeString(page, in(Files.readString(page)));
        }
    }

    List<Run> all() {
        return List.copyOf(runs.values());
    }

    List<Path> pages() throws IOException {
        try (Stream<Path> beside = Files.walk(file.toAbsolutePath().getParent())) {
            return beside.filter(page -> page.toString().endsWith(".md")).sorted().toList();
        }
    }

    private void put(Run run) {
        runs.put(run.kind() + " " + run.name(), run);
    }

    private static Run read(String line) {
        var cells = new LinkedHashMap<String, String>();
        JSON.readTree(line).forEachEntry((heading, text) -> cells.put(heading, text.asString()));
        return new Run(cells.remove(KIND), cells.remove(NAME), cells);
    }

    private static String line(Run run) {
        var line = new LinkedHashMap<>(Map.of(KIND, run.kind()));
        line.put(NAME, run.name());
        line.putAll(run.cells());
        return JSON.writeValueAsString(line);
    }

    /** The page with its tables as the runs have them. */
    String in(String page) {
        var written = new ArrayList<String>();
        boolean old = false;
        for (String line : page.lines().toList()) {
            old &= line.startsWith("|");
            if (!old) {
                written.add(line);
            }
            if (line.startsWith(MARK)) {
                written.addAll(table(line.substring(MARK.length()).replaceFirst(" .*", "")));
                old = true;
            }
        }
        return String.join("\n", written) + "\n";
    }

    private List<String> table(String kind) {
        List<Run> rows = runs.values().stream().filter(run -> run.kind().equals(kind)).toList();
        Set<String> headings =
                rows.stream().flatMap(run -> run.cells().keySet().stream()).collect(Collectors.toCollection(LinkedHashSet::new));
        for (String last : List.of(Run.COMMIT, Run.DAY)) {
            if (headings.remove(last)) {
                headings.add(last);
            }
        }
        var table = new ArrayList<>(List.of(row(headings.stream()), row(headings.stream().map(heading -> "---"))));
        rows.forEach(run -> table.add(row(headings.stream().map(heading -> run.cells().getOrDefault(heading, "–")))));
        return table;
    }

    private static String row(Stream<String> cells) {
        return cells.collect(Collectors.joining(" | ", "| ", " |"));
    }
}
