// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.SQLException;

/**
 * Postgres refused a statement and rolled it back for certain. The reason is one of four: a value in the row ({@link #isAboutTheRow}),
 * another transaction in the way ({@link #isPassing}), the rule that one person does not decide alone ({@link #isByFourEyes}), or none of
 * these. Then schema, rights and code do not fit each other, and the row is not at fault ({@link #isOurs}). Codes: PostgreSQL, appendix A.
 */
public final class DatabaseRefused extends RuntimeException {

    private static final long serialVersionUID = 1;
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String QUERY_CANCELED = "57014";
    /** Our own code, raised by the schema's functions. */
    public static final String FOUR_EYES = "X4EYE";
    private static final String CLASS_TRANSACTION_ROLLBACK = "40";
    private static final String CLASS_INVALID_AUTHORIZATION = "28";
    private static final String CLASS_DATA_EXCEPTION = "22";
    private static final String CLASS_INTEGRITY_CONSTRAINT_VIOLATION = "23";

    private final String sqlState;

    DatabaseRefused(SQLException cause) {
        super("Postgres refused the statement: " + cause.getMessage(), cause);
        this.sqlState = String.valueOf(cause.getSQLState());
    }

    /** Five characters. Unlike the message it contains nothing of the row. */
    public String sqlState() {
        return sqlState;
    }

    /** Postgres cannot store a value, or the row violates a constraint. Only this is the row's fault. */
    public boolean isAboutTheRow() {
        return sqlState.startsWith(CLASS_DATA_EXCEPTION) || sqlState.startsWith(CLASS_INTEGRITY_CONSTRAINT_VIOLATION);
    }

    /** Another transaction held the row's lock for longer than {@code lock_timeout}. */
    public boolean isRowBusy() {
        return sqlState.equals(LOCK_NOT_AVAILABLE);
    }

    /** Other work was in the way: a locked row, a deadlock, a statement timeout. The statement is not at fault and may be repeated. */
    public boolean isPassing() {
        return isRowBusy() || sqlState.startsWith(CLASS_TRANSACTION_ROLLBACK) || sqlState.equals(QUERY_CANCELED);
    }

    /** Another person has to approve it, or this person may not. Nothing is broken. */
    public boolean isByFourEyes() {
        return sqlState.equals(FOUR_EYES);
    }

    /** Postgres does not let this login in: its password was changed, or it was locked, renamed or dropped. */
    public boolean isAboutTheLogin() {
        return sqlState.startsWith(CLASS_INVALID_AUTHORIZATION);
    }

    /** A missing column, a right that was not granted, a wrong statement. Wait until a person has fixed it. */
    public boolean isOurs() {
        return !isAboutTheRow() && !isPassing() && !isByFourEyes();
    }
}
