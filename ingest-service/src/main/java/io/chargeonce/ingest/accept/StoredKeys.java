// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.ingest.reading.PaymentStatus;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Answers requests whose key is taken, from the row that has it. Within the transaction that found it taken. */
final class StoredKeys {

    private StoredKeys() {}

    private record Stored(RequestFingerprint.Stored command, PaymentStatus now, Instant firstAt) {

        Acceptance answer(AcceptRequest ask) {
            return ask.command().isTheSameAs(command) ? new Acceptance.Replayed(now, firstAt)
                    : new Acceptance.Reused(ask.command().conflictWith(command));
        }
    }

    /** Requests whose key is gone again are not among the answers. */
    static Map<AcceptRequest, Acceptance> read(Connection connection, List<AcceptRequest> asks) throws SQLException {
        var answers = new IdentityHashMap<AcceptRequest, Acceptance>();
        if (!asks.isEmpty()) {
            Map<String, Stored> stored = select(connection, asks);
            for (AcceptRequest ask : asks) {
                Stored found = stored.get(name(ask.merchant(), ask.key().value()));
                if (found != null) {
                    answers.put(ask, found.answer(ask));
                }
            }
        }
        return answers;
    }

    /** Not the resource, for a key may name a refund. No merchant has a blank in its name. */
    private static String name(String merchant, String key) {
        return merchant + " " + key;
    }

    private static final String SELECT = """
            SELECT idempotency_key, fingerprint, request_params, created_at, state, generation, sequence, cancel_requested_at,
                   settled_at, resolve_at, failure_cause, amount, refunded, merchant_id, fingerprint_version, request_path
              FROM keys_taken(?::text[], ?::text[])
            """;

    private static Map<String, Stored> select(Connection connection, List<AcceptRequest> asks) throws SQLException {
        var stored = new HashMap<String, Stored>();
        Sql.each(connection, SELECT, row -> stored.put(name(row.getString("merchant_id"), row.getString(1)), stored(row)),
                Columns.of(asks).with("text", AcceptRequest::merchant).with("text", ask -> ask.key().value()));
        return stored;
    }

    private static Stored stored(ResultSet row) throws SQLException {
        var command = new RequestFingerprint.Stored(row.getInt("fingerprint_version"), row.getString("request_path"), row.getString(3),
                row.getBytes(2));
        return new Stored(command, PaymentStatus.of(row), row.getTimestamp(4).toInstant());
    }
}
