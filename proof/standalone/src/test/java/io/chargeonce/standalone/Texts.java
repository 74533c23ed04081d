// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The first column of what a query finds, for tests that look at whole tables or the catalog. */
final class Texts {

    private Texts() {}

    static List<String> of(Connection connection, String sql) throws SQLException {
        var texts = new ArrayList<String>();
        try (var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            while (row.next()) {
                texts.add(row.getString(1));
            }
        }
        return texts;
    }
}
