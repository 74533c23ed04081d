// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Direct debits: what the demo sends to the bank, and what the rows say about the files that went and came. */
final class DemoBank {

    /** The demo adds it. */
    static final String MANDATE = "mandate_jane-doe";

    /** One is booked, one is rejected, and one is booked and returned: the bank of the sandbox goes by the mandate. */
    static final List<DemoPlan.Payment> DEBITS = List.of(debit(1, 4_200, MANDATE, DemoPlan.Scenario.CHARGED),
            debit(2, 2_599, "mandate_no-funds", DemoPlan.Scenario.DECLINED),
            debit(3, 9_900, "mandate_returned", DemoPlan.Scenario.CHARGED));

    private DemoBank() {}

    private static DemoPlan.Payment debit(int number, long amount, String mandate, DemoPlan.Scenario scenario) {
        return new DemoPlan.Payment("demo-debit-" + number, "acme", amount, "EUR", mandate, scenario, false);
    }

    /** Each debit has an outcome, and the return has one too. */
    private static final String DONE = """
            SELECT count(*) FILTER (WHERE kind = 'charge' AND state IN ('succeeded', 'declined')) = ?
                   AND count(*) FILTER (WHERE kind = 'return' AND state = 'succeeded') = 1
              FROM operation_now WHERE payment_method LIKE 'mandate%'
            """;

    static boolean isDone(Database database) {
        return database.withConnection(connection -> Sql.one(connection, DONE, row -> row.getBoolean(1), DEBITS.size()));
    }

    /** In lines for people. */
    static List<String> story(Database database) {
        return database.withConnection(connection -> {
            var lines = new ArrayList<String>(Sql.all(connection, SENT, DemoBank::sent));
            lines.add("from the bank  "
                    + String.join(", ", Sql.all(connection, CAME, row -> "%d %s".formatted(row.getInt(2), row.getString(1)))));
            lines.addAll(Sql.all(connection, ITEMS, DemoBank::item));
            return lines;
        });
    }

    /** In one file, unless the bank's next window came between the debits. */
    private static final String SENT = """
            SELECT min(file_name), count(*), sum(items), sum(total), currency, max(due_on) FROM bank_batch GROUP BY currency
            """;

    private static String sent(ResultSet row) throws SQLException {
        return "to the bank    %s%s, %d debits of %s %s, due %s".formatted(row.getString(1),
                row.getInt(2) == 1 ? "" : " and %d more".formatted(row.getInt(2) - 1), row.getInt(3), decimal(row.getLong(4)),
                row.getString(5), row.getString(6));
    }

    private static final String CAME = """
            SELECT message, count(*) FROM bank_file_in WHERE quarantined IS NULL GROUP BY message ORDER BY message DESC
            """;

    private static final String ITEMS = """
            SELECT item.mandate_id, item.amount, item.currency, its.state,
                   (SELECT string_agg(said.kind || coalesce(' ' || said.code, ''), ', ' ORDER BY line_id) FROM bank_line AS said
                     WHERE said.psp_key = item.psp_key)
              FROM bank_batch_item AS item JOIN operation_state AS its ON its.operation_id = item.payment_id
             ORDER BY item_id
            """;

    private static String item(ResultSet row) throws SQLException {
        return "%8s %s  %-16s  %-9s  %s".formatted(decimal(row.getLong(2)), row.getString(3), row.getString(1), row.getString(4),
                row.getString(5));
    }

    private static String decimal(long cents) {
        return BigDecimal.valueOf(cents, 2).toPlainString();
    }
}
