package io.chargeonce.database;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/** Binds a list of rows to a statement's {@code unnest(?, ?, …)}: one array parameter per column, in order. */
public final class Columns<R> {

    private final List<R> rows;
    private final PreparedStatement statement;
    private int next = 1;

    private Columns(List<R> rows, PreparedStatement statement) {
        this.rows = rows;
        this.statement = statement;
    }

    public static <R> Columns<R> of(List<R> rows, PreparedStatement statement) {
        return new Columns<>(rows, statement);
    }

    /** @param type Postgres's name of the array's element type */
    public Columns<R> with(String type, Function<R, ?> column) throws SQLException {
        Object[] values = type.equals("bytea") ? new byte[rows.size()][] : new Object[rows.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(rows.get(i));
        }
        statement.setArray(next++, statement.getConnection().createArrayOf(type, values));
        return this;
    }
}
