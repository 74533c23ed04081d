package io.chargeonce.database;

import java.sql.SQLException;

/** Postgres refused a statement for what it says: the statement's or its row's own fault, and rolled back for certain. */
public final class DatabaseRefused extends RuntimeException {

    private static final long serialVersionUID = 1;
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final String sqlState;

    DatabaseRefused(SQLException cause) {
        super("Postgres refused the statement: " + cause.getMessage(), cause);
        this.sqlState = String.valueOf(cause.getSQLState());
    }

    /** Another transaction holds the row for longer than {@code lock_timeout}. */
    public boolean isRowBusy() {
        return sqlState.equals(LOCK_NOT_AVAILABLE);
    }
}
