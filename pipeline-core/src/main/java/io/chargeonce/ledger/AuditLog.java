// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * Who did what, when and why. Written by the transaction that did it; append-only. Postgres itself sets time, id and role, and refuses a
 * record that the session's role may not write: see the function append_audit.
 */
public final class AuditLog {

    /** Who did it. */
    public sealed interface Actor {

        /** Postgres refuses a name that is not the session's role's. */
        record Service(String name) implements Actor {}

        /**
         * A person, identified by the session's login in Postgres.
         *
         * @param claim who the client says it is; stored beside the login and shown as a claim
         */
        record Person(Optional<String> claim) implements Actor {}
    }

    /** @param reason the reason that a person gave */
    public record Entry(Actor actor, String action, Optional<String> merchant, String resourceType, String resourceId,
            Optional<String> reason, Map<String, ?> data) {

        /** @param service that did it */
        public Entry(String service, String action, Optional<String> merchant, String resourceType, String resourceId,
                     Optional<String> reason, Map<String, ?> data) {
            this(new Actor.Service(service), action, merchant, resourceType, resourceId, reason, data);
        }

        /** @param service that did it */
        public static Entry of(String service, String action, Operation operation, Optional<String> reason, Map<String, ?> data) {
            return of(new Actor.Service(service), action, operation, reason, data);
        }

        public static Entry of(Actor actor, String action, Operation operation, Optional<String> reason, Map<String, ?> data) {
            return new Entry(actor, action, Optional.of(operation.accepted().merchant()), "operation", operation.id(),
                    reason, data);
        }
    }

    private static final JsonMapper JSON = new JsonMapper();

    private AuditLog() {}

    private static final String APPEND = """
            SELECT append_audit(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
            """;

    public static void append(Connection connection, List<Entry> entries) throws SQLException {
        if (entries.isEmpty()) {
            return;
        }
        Sql.call(connection, APPEND, Columns.of(entries)
                .with("text", entry -> entry.merchant().orElse(null))
                .with("text", entry -> entry.actor() instanceof Actor.Service service ? service.name() : null)
                .with("text", Entry::action)
                .with("text", Entry::resourceType)
                .with("text", Entry::resourceId)
                .with("text", entry -> entry.reason().orElse(null))
                .with("text", entry -> JSON.writeValueAsString(entry.data()))
                .with("text", entry -> entry.actor() instanceof Actor.Person person ? person.claim().orElse(null) : null));
    }
}
