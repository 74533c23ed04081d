// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.session;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a login may do, for what the page shows. Nothing here decides: the database refuses.
 *
 * @param approve an operator with a login of their own may approve another person's run
 */
record Rights(String login, boolean owner, boolean read, boolean operate, boolean approve, boolean unmask) {

    private static final String READ = """
            SELECT session_user, rolsuper, pg_has_role(session_user, 'chargeonce_dlq_reader', 'USAGE'),
                   pg_has_role(session_user, 'chargeonce_dlq_operator', 'USAGE'),
                   pg_has_role(session_user, 'chargeonce_dlq_unmask', 'USAGE')
              FROM pg_roles WHERE rolname = session_user
            """;
    private static final String OWN_LOGIN = "SELECT has_a_login_of_their_own(session_user)";

    static Rights of(Connection connection) throws SQLException {
        // The login was dropped or renamed; an open connection outlives both.
        Rights first = Sql.first(connection, READ, row -> new Rights(row.getString(1), row.getBoolean(2), row.getBoolean(3),
                row.getBoolean(4), false, row.getBoolean(5))).orElseThrow(() -> ConsoleProblems.noSession().refusal());
        return first.operate && !first.owner ? first.withApproval(connection) : first;
    }

    private Rights withApproval(Connection connection) throws SQLException {
        return new Rights(login, owner, read, operate, Sql.one(connection, OWN_LOGIN, row -> row.getBoolean(1)), unmask);
    }

    /** @throws io.chargeonce.console.answer.Refusal if this login is no person's at the queue */
    Rights forPeople() {
        if (owner) {
            throw ConsoleProblems.owner().refusal();
        }
        if (!read && !operate && !unmask) {
            throw ConsoleProblems.notForPeople().refusal();
        }
        return this;
    }

    /** An operator is no member of the reader's role, and may look all the same. */
    boolean mayRead() {
        return read || operate;
    }

    String role() {
        return operate ? "operator" : "reader";
    }

    List<String> names() {
        var names = new ArrayList<String>();
        if (mayRead()) {
            names.add("read");
        }
        if (operate) {
            names.add("operate");
        }
        if (approve) {
            names.add("approve");
        }
        if (unmask) {
            names.add("unmask");
        }
        return List.copyOf(names);
    }
}
