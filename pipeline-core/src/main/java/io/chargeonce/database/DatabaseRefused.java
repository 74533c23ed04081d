// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.SQLException;

/**
 * Postgres refused a statement and rolled it back for certain. Why, is one of four: what a row says ({@link #isAboutTheRow}),
 * others that were in the way ({@link #isPassing}), the rule that one person does not decide alone ({@link #isByFourEyes}), or none
 * of these: then the schema, our rights or our code do not fit each other, which says nothing against the row ({@link #isOurs}).
 * Codes: PostgreSQL, appendix A.
 */
public final class DatabaseRefused extends RuntimeException {

    private static final long serialVersionUID = 1;
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String QUERY_CANCELED = "57014";
    /** Our own, of the schema's functions. */
    public static final String FOUR_EYES = "X4EYE";
    private static final String CLASS_TRANSACTION_ROLLBACK = "40";
    private static final String CLASS_DATA_EXCEPTION = "22";
    private static final String CLASS_INTEGRITY_CONSTRAINT_VIOLATION = "23";

    private final String sqlState;

    DatabaseRefused(SQLException cause) {
        super("Postgres refused the statement: " + cause.getMessage(), cause);
        this.sqlState = String.valueOf(cause.getSQLState());
    }

    /** Five characters. Unlike the message it holds nothing of the row. */
    public String sqlState() {
        return sqlState;
    }

    /** A value that Postgres cannot store, or a constraint that the row violates. Only this may be held against a row. */
    public boolean isAboutTheRow() {
        return sqlState.startsWith(CLASS_DATA_EXCEPTION) || sqlState.startsWith(CLASS_INTEGRITY_CONSTRAINT_VIOLATION);
    }

    /** Another transaction holds the row for longer than {@code lock_timeout}. */
    public boolean isRowBusy() {
        return sqlState.equals(LOCK_NOT_AVAILABLE);
    }

    /**
     * Others were in the way: a held row, a deadlock, a statement that ran out of time. It says nothing against the statement,
     * which may be repeated.
     */
    public boolean isPassing() {
        return isRowBusy() || sqlState.startsWith(CLASS_TRANSACTION_ROLLBACK) || sqlState.equals(QUERY_CANCELED);
    }

    /** Another person has to approve it, or this one may not approve it: all works as it should. */
    public boolean isByFourEyes() {
        return sqlState.equals(FOUR_EYES);
    }

    /** A column that is missing, a right that was not granted, a statement that is wrong. Wait until a person has mended it. */
    public boolean isOurs() {
        return !isAboutTheRow() && !isPassing() && !isByFourEyes();
    }
}
