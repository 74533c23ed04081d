// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The table of planted bugs in the repository: a row for each and its level, replaced when it is tried there again. For one thread. */
public final class BugTable {

    /**
     * What came of trying one bug.
     *
     * @param level   {@code campaigns} of real processes, or {@code simulation}
     * @param caught  the invariants that it broke; empty if none
     * @param effort  how much it took, or was spent in vain
     * @param without whether the same seed balances without it
     * @param commit  of what it was planted into
     */
    public record Row(String bug, String sentence, String level, String caught, String effort, boolean without, String commit) {

        private String markdown() {
            return "| `%s` | %s | %s | %s | %s | %s | %s |".formatted(bug, sentence, level, caught.isEmpty() ? "**not caught**" : caught,
                    effort,
                    without ? "balanced" : "**not balanced**", commit);
        }
    }

    private static final String HEAD = """
            # Planted bugs

            Each bug was planted alone into a pipeline that is otherwise as it is shipped. The table says which invariants showed it. \
            Each trial
            begins with one seed, which is 1 unless the row names another; with the same seed and no bug the books balance. `chargeonce load
            plants --table FILE` (campaigns of real processes) and `chargeonce load simulate --every-plant --table FILE` (simulated \
            universes)
            write the rows of the bugs that they try. `chargeonce load plants --list` says which of the two can show a bug. "After" counts
            campaigns or universes. The last column is the commit that the bug was planted into; `earlier` is a release before the last \
            list of
            mended bugs.

            | bug | what is wrong | tried in | caught by | after | the same without it | commit |
            | --- | --- | --- | --- | --- | --- | --- |
            """;
    private static final String ROW = "| `";
    /** A person writes the rest of the file. */
    private static final String BY_HAND = "## ";

    private final Path file;
    private final Map<String, String> rows = new TreeMap<>();
    private String byHand = "";

    private BugTable(Path file) {
        this.file = file;
    }

    /** With the rows that the file has, if it exists. */
    public static BugTable in(Path file) throws IOException {
        var table = new BugTable(file);
        if (Files.exists(file)) {
            List<String> lines = Files.readAllLines(file);
            lines.stream().filter(line -> line.startsWith(ROW)).forEach(line -> table.rows.put(key(line), line));
            table.byHand =
                    lines.stream().dropWhile(line -> !line.startsWith(BY_HAND)).map(line -> line + "\n").collect(Collectors.joining());
        }
        return table;
    }

    /** A bug has a row for each level. */
    private static String key(String line) {
        String[] cells = line.split(" \\| ");
        return cells[0] + " " + cells[2];
    }

    /** Writes the file again, and keeps what a person wrote below the table. */
    public void put(Row row) throws IOException {
        rows.put(key(row.markdown()), row.markdown());
        Files.writeString(file, HEAD + String.join("\n", rows.values()) + "\n" + (byHand.isEmpty() ? "" : "\n" + byHand));
    }
}
