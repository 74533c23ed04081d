// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.record;

import io.chargeonce.runtime.Build;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One run of a proof or a drill. Immutable.
 *
 * @param kind  which table its row is in
 * @param name  of which there is one row in that table, the newest
 * @param cells what the row says, by heading, in the table's order
 */
public record Run(String kind, String name, Map<String, String> cells) {

    /** The headings of what was run, and when. */
    static final String COMMIT = "commit";
    static final String DAY = "on";

    public Run {
        cells = Collections.unmodifiableMap(new LinkedHashMap<>(cells));
    }

    /** Of the running build, today. */
    public static Run now(String kind, String name, Map<String, String> figures) {
        var cells = new LinkedHashMap<>(figures);
        cells.put(COMMIT, Build.CURRENT.commit());
        cells.put(DAY, LocalDate.now(ZoneOffset.UTC).toString());
        return new Run(kind, name, cells);
    }

    /**
     * A bug that was planted.
     *
     * @param level   {@code campaigns} of real processes, or {@code simulation}
     * @param caught  the invariants that it broke; empty if none
     * @param effort  how much it took, or was spent in vain
     * @param without whether the same seed balances without it
     */
    public static Run ofBug(String bug, String sentence, String level, String caught, String effort, boolean without) {
        var cells = new LinkedHashMap<String, String>();
        cells.put("bug", "`" + bug + "`");
        cells.put("what is wrong", sentence);
        cells.put("tried in", level);
        cells.put("caught by", caught.isEmpty() ? "**not caught**" : caught);
        cells.put("after", effort);
        cells.put("the same without it", without ? "balanced" : "**not balanced**");
        return now("bug", bug + " in " + level, cells);
    }
}
