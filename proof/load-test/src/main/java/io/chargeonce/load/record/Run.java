// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.record;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One run of a proof or a drill. Immutable.
 *
 * @param kind  which table its row is in
 * @param name  of which there is one row in that table, the newest
 * @param cells what the row says, by heading, in the table's order
 */
public record Run(String kind, String name, Map<String, String> cells) {

    /** What was planted; and what else was tried. */
    public static final String BUG = "bug";

    /** The headings of what was run, and when. */
    static final String COMMIT = "commit";
    static final String TIME = "on";
    private static final String AGAIN = "**not as it must be**: again with";
    private static final String FIRST_TRY = ", first try";
    private static final String GOOD_TRIES = "good tries";
    private static final String SENTENCE = "what is wrong";

    public Run {
        cells = Collections.unmodifiableMap(new LinkedHashMap<>(cells));
    }

    /**
     * A bug that was planted.
     *
     * @param level   {@code campaigns} of real processes, or {@code simulation}
     * @param caught  the invariants that it broke; empty if none
     * @param effort  how much it took, or was spent in vain
     * @param without whether the same seed balances without it
     * @param again   the command that repeats it
     */
    public static Run ofBug(String bug, String sentence, String level, String caught, String effort, boolean without, String again) {
        var cells = new LinkedHashMap<String, String>();
        cells.put(BUG, "`" + bug + "`");
        cells.put(SENTENCE, sentence);
        cells.put("tried in", level);
        cells.put("caught by", caught.isEmpty() ? "**not caught**" : caught);
        cells.put("after", effort);
        cells.put("the same without it", without ? "balanced" : "**not balanced**");
        var run = new Run(BUG, nameOfBug(bug, level), cells);
        return caught.isEmpty() || !without ? run.broken(again) : run;
    }

    public static String nameOfBug(String bug, String level) {
        return bug + " in " + level;
    }

    /** @param again the command that repeats what was not as it must be */
    public Run broken(String again) {
        return with(AGAIN, "`" + again + "`");
    }

    /** What was not as it must be and is to be run once more: a row of its own, so that its unit is still to come. */
    public Run asFirstTry() {
        return new Run(kind, name + FIRST_TRY, cells).with(GOOD_TRIES, "0 of 1");
    }

    public boolean isFirstTry() {
        return name.endsWith(FIRST_TRY);
    }

    /** Whether this first try has had no second one. */
    public boolean awaitsSecondTry() {
        return cell(GOOD_TRIES).equals(Optional.of("0 of 1"));
    }

    /** This first try, after the second one. */
    public Run after(Run second) {
        return with(GOOD_TRIES, second.again().isEmpty() ? "1 of 2" : "0 of 2");
    }

    Run with(String heading, String text) {
        var more = new LinkedHashMap<>(cells);
        more.put(heading, text);
        return new Run(kind, name, more);
    }

    /** The command that repeats it, if not all was as it must be. */
    public Optional<String> again() {
        return cell(AGAIN).map(command -> command.replace("`", ""));
    }

    public Optional<String> cell(String heading) {
        return Optional.ofNullable(cells.get(heading));
    }

    /** For people: all that its row says of it. */
    public String line() {
        return cells.entrySet().stream().filter(cell -> !List.of(SENTENCE, AGAIN, COMMIT, TIME).contains(cell.getKey()))
                .map(cell -> cell.getKey() + " " + cell.getValue()).collect(Collectors.joining(", ")).replaceAll("[`*]", "");
    }
}
