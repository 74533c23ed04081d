// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.PaymentId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds second clicks: another key for a purchase that was made a moment ago. The payment that takes the purchase's row is the first. The
 * row lives as long as the merchant's window. Within the transaction that accepts.
 */
final class DuplicateGuard {

    private DuplicateGuard() {}

    private static final String FORGET = "SELECT take_back_keys(?::text[], ?::text[])";

    /** Takes back the keys of second clicks: nothing of them may stay. */
    static void forget(Connection connection, List<AcceptRequest> asks) throws SQLException {
        Sql.call(connection, FORGET, Columns.of(asks).with("text", AcceptRequest::merchant).with("text", ask -> ask.key().value()));
    }

    private static final String FIRSTS = """
            SELECT asked, first
              FROM first_purchases(?::text[], ?::text[], ?::bytea[])
            """;

    /** The payment that came first, for each second click. */
    static Map<AcceptRequest, Acceptance> answers(Connection connection, List<AcceptRequest> asks) throws SQLException {
        var answers = new IdentityHashMap<AcceptRequest, Acceptance>();
        Sql.each(connection, FIRSTS, row -> {
            String id = row.getString(1);
            var first = new PaymentId(row.getString(2));
            asks.stream().filter(ask -> ask.id().value().equals(id))
                    .forEach(ask -> answers.put(ask, new Acceptance.DuplicateSuspected(first)));
        }, Columns.of(asks).with("text", ask -> ask.id().value()).with("text", AcceptRequest::merchant)
                .with("bytea", ask -> ask.guarded().orElseThrow()));
        return answers;
    }

    private static final String EXPIRE = "SELECT forget_purchases(5000)";

    /** Removes expired rows; returns how many. */
    static int expire(Connection connection) throws SQLException {
        return Sql.one(connection, EXPIRE, row -> row.getInt(1));
    }
}
