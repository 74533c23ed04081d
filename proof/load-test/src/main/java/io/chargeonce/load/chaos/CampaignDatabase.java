// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.database.Sql;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The pipeline's rows, as campaigns read and change them: past the proxies, as a superuser. */
record CampaignDatabase(String url) {

    void sql(String statements) {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            statement.execute(statements);
        } catch (SQLException e) {
            throw new IllegalStateException("Postgres refused: " + e.getMessage(), e);
        }
    }

    /** What a person does when the cause is mended for which the broker refused records. */
    void offerRefused() {
        sql("UPDATE chargeonce.outbox SET refusal = NULL WHERE refusal IS NOT NULL");
    }

    /** Whether a record is not published yet. */
    boolean hasStaged() {
        return one("SELECT EXISTS (SELECT FROM chargeonce.outbox)", row -> row.getBoolean(1));
    }

    private static final String TO_SEND = """
            SELECT EXISTS (SELECT FROM chargeonce.webhook_delivery JOIN chargeonce.webhook_endpoint USING (endpoint_id)
                            WHERE state = 'waiting' AND disabled_by IS NULL)
                OR EXISTS (SELECT FROM chargeonce.receipt WHERE state = 'waiting')
            """;

    /** Whether a webhook or a receipt still waits. */
    boolean hasToSend() {
        return one(TO_SEND, row -> row.getBoolean(1));
    }

    private static final String ACCEPTED = "SELECT count(*) FROM chargeonce.operation WHERE operation_id = ANY (?)";

    /** Whether each of these payments has its row; not if Postgres is away. */
    boolean hasAccepted(List<String> payments) {
        try (var connection = DriverManager.getConnection(url)) {
            return Sql.one(connection, ACCEPTED, row -> row.getLong(1), payments) == payments.size();
        } catch (SQLException away) {
            return false;
        }
    }

    private <T> T one(String question, Sql.Row<T> row) {
        try (var connection = DriverManager.getConnection(url)) {
            return Sql.one(connection, question, row);
        } catch (SQLException e) {
            throw new IllegalStateException("Postgres refused: " + e.getMessage(), e);
        }
    }

    private static final String LETTERS = "SELECT count(*) FROM chargeonce.dead_letter WHERE state = 'dead'";

    /** How many dead letters are in the queue. */
    long letters() {
        return one(LETTERS, row -> row.getLong(1));
    }

    private static final String UNDER_WAY = """
            SELECT DISTINCT state FROM chargeonce.operation_state
             WHERE state NOT IN ('succeeded', 'declined', 'purged', 'canceled') OR resolve_at IS NOT NULL
                OR state = 'canceled' AND settled_at IS NULL
            """;

    /** The states in which there are operations that have not come to their end; none if Postgres is away. */
    Set<String> underWay() {
        try (var connection = DriverManager.getConnection(url)) {
            return new TreeSet<>(Sql.all(connection, UNDER_WAY, row -> row.getString(1)));
        } catch (SQLException away) {
            return Set.of();
        }
    }

    private static final String CAPTURED = """
            SELECT psp_reference FROM chargeonce.operation_now
             WHERE kind = 'charge' AND state = 'succeeded' AND psp = ? ORDER BY settled_at DESC LIMIT 10
            """;

    /** The newest payments that this PSP has captured, by its references; none if Postgres is away. */
    List<String> captured(String psp) {
        try (var connection = DriverManager.getConnection(url)) {
            return Sql.all(connection, CAPTURED, row -> row.getString(1), psp);
        } catch (SQLException away) {
            return List.of();
        }
    }

    private static final String END_CONNECTIONS = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            """;

    /** Those of all services to Postgres; they make new ones. */
    void endConnections() {
        sql(END_CONNECTIONS);
    }
}
