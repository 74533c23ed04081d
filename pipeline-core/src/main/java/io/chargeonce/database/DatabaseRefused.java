package io.chargeonce.database;

import java.sql.SQLException;

/** Postgres refused a statement for what it says: the statement's or its row's own fault, and rolled back for certain. */
public final class DatabaseRefused extends RuntimeException {

    private static final long serialVersionUID = 1;
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String QUERY_CANCELED = "57014";
    private static final String CLASS_TRANSACTION_ROLLBACK = "40";

    private final String sqlState;

    DatabaseRefused(SQLException cause) {
        super("Postgres refused the statement: " + cause.getMessage(), cause);
        this.sqlState = String.valueOf(cause.getSQLState());
    }

    /** Another transaction holds the row for longer than {@code lock_timeout}. */
    public boolean isRowBusy() {
        return sqlState.equals(LOCK_NOT_AVAILABLE);
    }

    /**
     * Others were in the way: a held row, a deadlock, a statement that ran out of time. It says nothing against the statement,
     * which may be repeated. Codes: PostgreSQL, appendix A.
     */
    public boolean isPassing() {
        return isRowBusy() || sqlState.startsWith(CLASS_TRANSACTION_ROLLBACK) || sqlState.equals(QUERY_CANCELED);
    }
}
