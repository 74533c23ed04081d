// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.record;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The newest run of each name, of whichever commit. The pages have their tables of runs from them: each follows a line
 * {@code <!-- runs: KIND -->}. For one thread.
 */
public final class Runs {

    private static final String MARK = "<!-- runs: ";

    private final Path root;
    private final Map<String, Run> runs = new TreeMap<>();

    private Runs(Path root) {
        this.root = root;
    }

    /** @param root a checkout, with results and pages */
    public static Runs in(Path root) throws IOException {
        var runs = new Runs(root);
        for (Path file : runs.files()) {
            for (Run run : Results.read(file)) {
                runs.runs.merge(Results.key(run.kind(), run.name()), run,
                        (one, other) -> other.cell(Run.TIME).orElse("").compareTo(one.cell(Run.TIME).orElse("")) < 0 ? one : other);
            }
        }
        return runs;
    }

    /** Whether results can be kept there. */
    public static boolean isCheckout(Path root) {
        return Files.isWritable(root.resolve(Results.FOLDER)) && Files.isWritable(root.resolve("docs"));
    }

    List<Path> files() throws IOException {
        return below(Results.FOLDER, ".json");
    }

    List<Path> pages() throws IOException {
        return below(Path.of("docs"), ".md");
    }

    private List<Path> below(Path folder, String end) throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    /** Writes the pages' tables again. */
    public void write() throws IOException {
        try (FileChannel lock = Results.lock(root)) {
            for (Path page : pages()) {
                Files.writeString(page, in(Files.readString(page)));
            }
        }
    }

    List<Run> all() {
        return List.copyOf(runs.values());
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
        if (rows.isEmpty()) {
            return List.of();
        }
        Set<String> headings =
                rows.stream().flatMap(run -> run.cells().keySet().stream()).collect(Collectors.toCollection(LinkedHashSet::new));
        for (String last : List.of(Run.COMMIT, Run.TIME)) {
            if (headings.remove(last)) {
                headings.add(last);
            }
        }
        var table = new ArrayList<>(List.of(row(headings.stream()), row(headings.stream().map(heading -> "---"))));
        rows.forEach(run -> table.add(row(headings.stream().map(heading -> run.cell(heading).orElse("–")))));
        return table;
    }

    private static String row(Stream<String> cells) {
        return cells.collect(Collectors.joining(" | ", "| ", " |"));
    }
}
