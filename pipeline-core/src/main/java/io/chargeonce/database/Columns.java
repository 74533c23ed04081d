// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A list of rows for a statement's {@code unnest(?, ?, …)}: one array parameter per column, in order. {@link Sql} gets it in the place of
 * these parameters.
 */
public final class Columns<R> {

    private final List<R> rows;
    private final List<Object> values = new ArrayList<>();

    private Columns(List<R> rows) {
        this.rows = rows;
    }

    public static <R> Columns<R> of(List<R> rows) {
        return new Columns<>(rows);
    }

    /** @param type Postgres's name of the array's element type */
    public Columns<R> with(String type, Function<R, ?> column) {
        values.add(type.equals("bytea") ? rows.stream().map(column).toArray(byte[][]::new) : literal(column));
        return this;
    }

    /** @return the index of the parameter behind these */
    int bind(PreparedStatement to, int first) throws SQLException {
        int next = first;
        for (Object value : values) {
            bind(to, next++, value);
        }
        return next;
    }

    private static void bind(PreparedStatement to, int index, Object value) throws SQLException {
        if (value instanceof byte[][] bytes) {
            to.setArray(index, to.getConnection().createArrayOf("bytea", bytes));
        } else {
            to.setObject(index, value, Types.OTHER);
        }
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
