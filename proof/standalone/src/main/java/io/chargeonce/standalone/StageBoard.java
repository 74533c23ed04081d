// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Shows how many payments are in each stage while it waits for a condition. On a terminal it is one line that changes. */
final class StageBoard {

    private static final Duration EVERY = Duration.ofMillis(200);
    /** Room is left for the sign that there is more. */
    private static final int WIDTH = 77;
    private static final String INDENT = "   ";
    private static final String BETWEEN = " · ";
    private static final List<String> STAGES = Stream.of(Stream.of("accepted", "charging"),
            IntStream.rangeClosed(1, Topics.MOST_TIERS).mapToObj(tier -> "tier-" + tier),
            Stream.of("parked", "unknown", "dead", "purged", "declined", "refunded", "returned", "succeeded")).flatMap(stages -> stages)
            .toList();

    private final Database database;
    private final PrintWriter out;
    private final boolean live;
    private List<String> shown = List.of();

    StageBoard(Database database, PrintWriter out, boolean live) {
        this.database = database;
        this.out = out;
        this.live = live;
    }

    /** @return false if it did not become true in time */
    boolean watchUntil(Predicate<Map<String, Long>> reached, Duration longest) {
        long giveUp = System.nanoTime() + longest.toNanos();
        while (true) {
            Map<String, Long> stages = database.withConnection(StageBoard::read);
            boolean done = reached.test(stages);
            show(stages, done);
            if (done || System.nanoTime() > giveUp) {
                return done;
            }
            pause();
        }
    }

    private void show(Map<String, Long> stages, boolean last) {
        var words = new ArrayList<String>();
        stages.forEach((stage, count) -> words.add("%s %d".formatted(stage, count)));
        List<String> lines = lines(words);
        if (live) {
            // A line that wrapped could not be written over.
            out.print("\r\u001b[K" + (last ? String.join("\n", lines) + "\n" : lines.getFirst() + (lines.size() > 1 ? " …" : "")));
        } else if (!lines.equals(shown)) {
            lines.forEach(out::println);
        }
        shown = lines;
        out.flush();
    }

    /** With an indent, and none longer than a terminal of 80 columns has room for. */
    static List<String> lines(List<String> words) {
        var lines = new ArrayList<String>();
        String line = "";
        for (String word : words) {
            boolean fits = INDENT.length() + line.length() + BETWEEN.length() + word.length() <= WIDTH;
            if (!line.isEmpty() && !fits) {
                lines.add(INDENT + line);
                line = "";
            }
            line += (line.isEmpty() ? "" : BETWEEN) + word;
        }
        lines.add(INDENT + line);
        return lines;
    }

    private static final String SHARES = "SELECT psp, count(*) FROM operation_state WHERE state = 'succeeded' GROUP BY psp ORDER BY psp";

    /** How many payments each PSP has charged by now. */
    void showShares() {
        List<String> shares = database.withConnection(
                connection -> Sql.all(connection, SHARES, row -> "by %s %d".formatted(row.getString(1), row.getLong(2))));
        out.println("   charged " + String.join(" · ", shares));
    }

    private static final String READ = """
            SELECT CASE WHEN state = 'processing' THEN 'charging' WHEN state = 'scheduled' THEN 'tier-' || tier
                        WHEN state = 'unresolved' THEN 'unknown' WHEN kind = 'refund' AND state = 'succeeded' THEN 'refunded'
                        WHEN kind = 'return' AND state = 'succeeded' THEN 'returned'
                        ELSE state END AS stage, count(*)
              FROM operation_now GROUP BY stage
            """;

    private static Map<String, Long> read(Connection connection) throws SQLException {
        Map<String, Long> found = Sql.all(connection, READ, row -> Map.entry(row.getString(1), row.getLong(2))).stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        var stages = new LinkedHashMap<String, Long>();
        STAGES.stream().filter(found::containsKey).forEach(stage -> stages.put(stage, found.get(stage)));
        return stages;
    }

    private static void pause() {
        try {
            Thread.sleep(EVERY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
