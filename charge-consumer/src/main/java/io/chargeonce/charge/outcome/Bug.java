// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.chargeonce.database.BrokenWork;
import io.chargeonce.database.Coalescer;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Describes a bug that one row ran into, in a few words for people, without the exception's message: that may contain data of the row. The
 * log has the full exception.
 */
public final class Bug {

    private static final int FRAMES = 3;
    private static final String OURS = "io.chargeonce.";

    private Bug() {}

    /**
     * Throws it again unless it concerns only this row: then Postgres is down, does not fit this version, or a lock is in the way, and the
     * work is repeated.
     */
    public static void mustBeOfOneRow(RuntimeException e) {
        boolean isOfOneRow = switch (e) {
            case DatabaseUnavailable away -> false;
            case Coalescer.Overloaded full -> false;
            case DatabaseRefused refused -> refused.isAboutTheRow();
            default -> true;
        };
        if (!isOfOneRow) {
            throw e;
        }
    }

    /** Enough to distinguish one bug from another. */
    public static String digest(Throwable bug) {
        Throwable thrown = bug instanceof DatabaseRefused || bug instanceof BrokenWork ? bug.getCause() : bug;
        String what = bug instanceof DatabaseRefused refused ? "SQLSTATE " + refused.sqlState() : thrown.getClass().getSimpleName();
        String where = Arrays.stream(thrown.getStackTrace()).filter(frame -> frame.getClassName().startsWith(OURS)).limit(FRAMES)
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber()).collect(Collectors.joining(" < "));
        return where.isEmpty() ? what : what + " at " + where;
    }
}
