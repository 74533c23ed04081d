// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.Awaitility;

/** A separate database, with operations in the states that a test needs. */
final class LedgerRows implements AutoCloseable {

    static final Topics TOPICS = new Topics("payments");

    interface Change {
        void on(Connection connection, Operation operation) throws SQLException;
    }

    /** @param value null is a tombstone */
    record Staged(String topic, String key, String value, String headers) {}

    private final String url;
    Database database;

    LedgerRows() {
        url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        database = Database.open(url, "postgres", "", 4);
    }

    private static final String ACCEPT = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                charge_within_s)
            VALUES (?, ?, 'charge', 'acme', ?, 1299, 'EUR', 'pm_card_visa', 86400)
            """;

    /** Returns the new operation's id. */
    String accept() {
        String key = UUID.randomUUID().toString();
        String id = PaymentId.derive("acme", new IdempotencyKey(key)).value();
        database.withConnection(connection -> accept(connection, id, key));
        return id;
    }

    String accept(Connection connection) throws SQLException {
        String key = UUID.randomUUID().toString();
        String id = PaymentId.derive("acme", new IdempotencyKey(key)).value();
        accept(connection, id, key);
        return id;
    }

    private static int accept(Connection connection, String id, String key) throws SQLException {
        try (var statement = connection.prepareStatement(ACCEPT)) {
            statement.setString(1, id);
            statement.setString(2, id);
            statement.setString(3, key);
            return statement.executeUpdate();
        }
    }

    /** A connection outside the pool. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(url + "&currentSchema=chargeonce", "postgres", "");
    }

    int late(Duration patience) {
        return LateOperations.listAcceptances(database, patience);
    }

    int lateClaims() {
        return LateOperations.listClaims(database, Duration.ofSeconds(5));
    }

    List<String> dueStatusQueries() {
        return database
                .inTransaction(connection -> List.copyOf(OperationTable.lockDueForStatusQuery(connection, "stripe", 10).rows().keySet()));
    }

    /** How many rows of operations, states and attempts were read so far, with or without an index. */
    long read(int connectionsOutside) {
        database.close();
        database = Database.open(url, "postgres", "", 1);
        Awaitility.await()
                .until(() -> text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
                        .equals("" + connectionsOutside));
        return Long.parseLong(text("""
                SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables
                 WHERE relname IN ('operation', 'operation_state', 'payment_attempt', 'waiting')"""));
    }

    void change(String id, Change change) {
        database.inTransaction(connection -> {
            Operation operation = OperationTable.lock(connection, List.of(id)).rows().get(id);
            change.on(connection, operation);
            OperationTable.save(connection, List.of(operation));
            return operation;
        });
    }

    /** An attempt at the PSP, in flight. */
    void claim(String id) {
        database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            operation.claim(UUID.randomUUID(), "stripe", locked.now().plusSeconds(30));
            OperationTable.save(connection, List.of(operation));
            AttemptTable.insert(connection, List.of(Attempt.inFlight(operation, new byte[] {1}, locked.now(),
                    locked.now().plus(Duration.ofDays(1)))));
            return operation;
        });
    }

    void hear(String id, Outcome outcome) {
        change(id, (connection, operation) -> {
            Observation told = Observation.of(operation.attemptKey(), "call", outcome);
            ObservationTable.append(connection, List.of(told));
            AttemptTable.fold(connection, List.of(told));
        });
    }

    void bury(String id, String cause) {
        change(id, (connection, operation) -> {
            operation.bury(cause, "for a test");
            DeadLetterTable.bury(connection, TOPICS, List.of(DeadLetter.of(operation, cause, "for a test")));
        });
    }

    void bury(DeadLetter letter) {
        database.inTransaction(connection -> {
            DeadLetterTable.bury(connection, TOPICS, List.of(letter));
            return letter;
        });
    }

    List<String> release(String state, String... ids) {
        return database.inTransaction(connection -> {
            // Several at once wait for each other, on a busy machine longer than a batch would.
            Database.waitForLocks(connection, Duration.ofSeconds(10));
            return DeadLetterTable.release(connection, TOPICS, state, List.of(ids));
        });
    }

    Operation find(String id) {
        return database.withConnection(connection -> OperationTable.find(connection, id)).orElseThrow();
    }

    List<Attempt> attempts(String id) {
        return database
                .withConnection(connection -> AttemptTable.ofOperation(connection, OperationTable.find(connection, id).orElseThrow()));
    }

    private static final String STAGED = """
            SELECT topic, record_key, convert_from(value, 'UTF8'), headers FROM outbox WHERE record_key = ? ORDER BY outbox_id
            """;

    List<Staged> staged(String key) {
        return database.withConnection(connection -> {
            try (var statement = connection.prepareStatement(STAGED)) {
                statement.setString(1, key);
                var rows = new ArrayList<Staged>();
                try (var result = statement.executeQuery()) {
                    while (result.next()) {
                        rows.add(new Staged(result.getString(1), result.getString(2), result.getString(3), result.getString(4)));
                    }
                }
                return rows;
            }
        });
    }

    /** The state and revision of a dead letter, as {@code dead/1}. */
    String letter(String id) {
        return text("SELECT state || '/' || revision FROM dead_letter WHERE dead_letter_id = '" + id + "'");
    }

    String text(String sql) {
        return database.withConnection(connection -> {
            try (var statement = connection.createStatement(); var result = statement.executeQuery(sql)) {
                return result.next() ? result.getString(1) : "nothing";
            }
        });
    }

    void execute(String sql) {
        database.withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    /** With all triggers off. */
    void rewrite(String sql) {
        execute("SET session_replication_role = replica; " + sql + "; RESET session_replication_role");
    }

    @Override
    public void close() {
        database.close();
    }
}
