// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
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

    /** The same behind this many parameters. */
    public static <R> Columns<R> after(int parameters, List<R> rows, PreparedStatement statement) {
        var columns = new Columns<>(rows, statement);
        columns.next = parameters + 1;
        return columns;
    }

    /** @param type Postgres's name of the array's element type */
    public Columns<R> with(String type, Function<R, ?> column) throws SQLException {
        if (type.equals("bytea")) {
            byte[][] values = new byte[rows.size()][];
            for (int i = 0; i < values.length; i++) {
                values[i] = (byte[]) column.apply(rows.get(i));
            }
            statement.setArray(next++, statement.getConnection().createArrayOf(type, values));
        } else {
            statement.setObject(next++, literal(column), Types.OTHER);
        }
        return this;
    }

    /** Postgres's text form of an array. The driver's own conversion costs several times as much, which is noticeable in every payment. */
    private String literal(Function<R, ?> column) {
        var literal = new StringBuilder(rows.size() * 32).append('{');
        for (int i = 0; i < rows.size(); i++) {
            if (i > 0) {
                literal.append(',');
            }
            Object value = column.apply(rows.get(i));
            if (value == null) {
                literal.append("NULL");
            } else {
                quote(value.toString(), literal);
            }
        }
        return literal.append('}').toString();
    }

    private static void quote(String text, StringBuilder literal) {
        literal.append('"');
        if (text.indexOf('"') < 0 && text.indexOf('\\') < 0) {
            literal.append(text);
        } else {
            literal.append(text.replace("\\", "\\\\").replace("\"", "\\\""));
        }
        literal.append('"');
    }
}
