// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.People;
import io.chargeonce.database.Roles;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.ledger.Observation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.RetryTier;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A dead-letter queue in a database of its own, empty before each test, with dead letters of every standing, made as the
 * services make them.
 */
public final class QueueRows implements BeforeEachCallback, AfterAllCallback {

    public static final String MERCHANT = "acme";
    /** A person's own login: it has the rights of production. */
    public static final String OPERATOR = "ann";
    public static final Topics TOPICS = new Topics("payments");
    /** With a key of this run's. */
    public static final Vault VAULT = newVault();

    static {
        // Long enough for a busy machine.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    interface Change {
        void on(Connection connection, List<Operation> operations, Instant now) throws SQLException;
    }

    private final String url;
    /** For what a test does to the rows; the queue has the rights of production. */
    private Database owner;
    private DeadLetterQueue queue;
    private boolean open;

    public QueueRows() {
        this(TestStack.newDatabase(QueueRows::prepare));
    }

    /** In an empty database of the caller's. */
    public static QueueRows in(String url) {
        prepare(url);
        return new QueueRows(url);
    }

    private static void prepare(String empty) {
        Migrations.apply(empty, "postgres", "");
        Roles.apply(empty, "postgres", "", Optional.empty());
    }

    private QueueRows(String url) {
        this.url = url;
        People.add(url, "postgres", "", OPERATOR, "chargeonce_dlq_operator", Optional.empty());
        connect();
    }

    private void connect() {
        owner = Database.open(url, "postgres", "", 8);
        queue = new DeadLetterQueue(Database.open(asOperator(), OPERATOR, "", 8), TOPICS, VAULT);
        open = true;
    }

    /** The same queue as a command opens it. */
    public DeadLetterQueue open() {
        return new DeadLetterQueue(Database.openForCommand(asOperator(), OPERATOR, ""), TOPICS, VAULT);
    }

    /** A vault with a key that no other has. */
    public static Vault newVault() {
        try {
            Path folder = Files.createTempDirectory("data-key-");
            Path file = folder.resolve("key");
            DataKeys.add(file);
            var vault = Vault.of(new Secret(Files.readString(file)));
            Files.delete(file);
            Files.delete(folder.resolve("key" + DataKeys.PUBLIC));
            Files.delete(folder);
            return vault;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same as another person or role opens it. */
    public DeadLetterQueue openAs(String role) {
        return new DeadLetterQueue(Database.openForCommand(url.replace("user=postgres", "user=" + role), role, ""), TOPICS, VAULT);
    }

    private String asOperator() {
        return url.replace("user=postgres", "user=" + OPERATOR);
    }

    public String url() {
        return url;
    }

    /** For what another service does, and for what none could. Opened again where a test is tried once more after its class's end. */
    public Database owner() {
        if (!open) {
            connect();
        }
        return owner;
    }

    public DeadLetterQueue queue() {
        if (!open) {
            connect();
        }
        return queue;
    }

    private static final String ACCEPT = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES (?, ?, 'charge', ?, ?, ?, ?, 'pm_card_visa', 86400)
            """;

    private String accept(String merchant, long amount, String currency) {
        String key = UUID.randomUUID().toString();
        owner().withConnection(connection -> {
            try (var statement = connection.prepareStatement(ACCEPT)) {
                bind(statement, merchant, key, amount, currency);
                return statement.executeUpdate();
            }
        });
        return paymentId(merchant, key);
    }

    private static void bind(PreparedStatement statement, String merchant, String key, long amount, String currency) throws SQLException {
        String id = paymentId(merchant, key);
        statement.setString(1, id);
        statement.setString(2, id);
        statement.setString(3, merchant);
        statement.setString(4, key);
        statement.setLong(5, amount);
        statement.setString(6, currency);
    }

    private static String paymentId(String merchant, String key) {
        return PaymentId.derive(merchant, new IdempotencyKey(key)).value();
    }

    /** A payment whose only attempt definitely failed. */
    public String dead() {
        return dead(MERCHANT, 1299, "EUR", "the PSP answered 500");
    }

    public String dead(String merchant, long amount, String currency, String message) {
        String id = accept(merchant, amount, currency);
        fail(id, message);
        return id;
    }

    /** Payments whose only attempt definitely failed, in the order in which they died: all in the same few transactions. */
    public List<String> dead(int count) {
        List<String> keys = Stream.generate(() -> UUID.randomUUID().toString()).limit(count).toList();
        owner().inTransaction(connection -> {
            try (var statement = connection.prepareStatement(ACCEPT)) {
                for (String key : keys) {
                    bind(statement, MERCHANT, key, 1299, "EUR");
                    statement.addBatch();
                }
                return statement.executeBatch();
            }
        });
        List<String> ids = keys.stream().map(key -> paymentId(MERCHANT, key)).sorted().toList();
        fail(ids, "the PSP answered 500");
        return ids;
    }

    /** One more attempt, which fails and is to be repeated from this tier; and its claim is not early. */
    public void retry(String id, int tier, String message) {
        claim(id);
        hear(id, new Outcome.Failed(FailureCause.PSP_UNWELL, message));
        change(List.of(id), (connection, operations, now) -> operations.getFirst().retryIn(new RetryTier(tier, Duration.ofSeconds(5)),
                FailureCause.PSP_UNWELL.tag(), message, now));
    }

    public String accepted(String merchant) {
        return accept(merchant, 1299, "EUR");
    }

    /** One more attempt, which takes the money. */
    public void succeed(String id) {
        claim(id);
        hear(id, new Outcome.Charged("pi_" + id));
        change(List.of(id), (connection, operations, now) -> operations.getFirst().settleSucceeded("pi_" + id, now));
    }

    /** What a record of this payment says, as the relay publishes it. */
    public String record(String id) {
        return new String(PaymentJson.write(Staging.record(operation(id))), StandardCharsets.UTF_8);
    }

    /** The payments that wait to be worked on, as the charge-consumer would find them. */
    public List<String> accepted() {
        String ids = text("SELECT string_agg(operation_id, ' ' ORDER BY operation_id) FROM operation_now WHERE state = 'accepted'");
        return ids.equals("nothing") ? List.of() : List.of(ids.split(" "));
    }

    /** One more attempt, which definitely fails, and back into the queue. */
    public void fail(String id, String message) {
        fail(List.of(id), message);
    }

    private void fail(List<String> ids, String message) {
        claim(ids);
        hear(ids, new Outcome.Failed(FailureCause.PSP_UNWELL, message));
        bury(ids, FailureCause.PSP_UNWELL.tag(), message);
    }

    /** A dead payment whose money was taken, as a late answer says. */
    public String charged() {
        String id = accept(MERCHANT, 500, "EUR");
        claim(id);
        bury(id, "internal_error", "it threw");
        hear(id, new Outcome.Charged("pi_late"));
        return id;
    }

    /** Settles it, as the resolver does after a merge. */
    public void settle(String charged) {
        change(List.of(charged), (connection, operations, now) -> {
            operations.getFirst().settleSucceeded("pi_late", now);
            DeadLetterTable.release(connection, TOPICS, "settled", List.of(charged));
        });
    }

    /** Ends what is unresolved, as the resolver does when the PSP has told. */
    public void resolve(String unresolved, Outcome told) {
        hear(unresolved, told);
        if (told instanceof Outcome.Charged charged) {
            change(List.of(unresolved), (connection, operations, now) -> {
                operations.getFirst().settleSucceeded(charged.pspReference(), now);
                DeadLetterTable.release(connection, TOPICS, "settled", List.of(unresolved));
            });
        } else {
            bury(unresolved, FailureCause.PSP_UNWELL.tag(), "it was never executed");
        }
    }

    /** Listed because it is not known whether its money was taken; the next status query is hours away. */
    public String unresolved() {
        return unresolved(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
    }

    /** The same at a PSP that was asked and cannot tell, and whose key is forgotten if that is said. */
    public String unresolvedAndAsked(boolean keyIsForgotten) {
        String id = unresolved();
        Observation told = Observation.of(operation(id).attemptKey(), "query",
                new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, "it cannot tell", Optional.empty()));
        owner().inTransaction(connection -> {
            ObservationTable.append(connection, List.of(told));
            return told;
        });
        if (keyIsForgotten) {
            text(("UPDATE payment_attempt SET sent_at = now() - interval '2 days', key_valid_until = now() - interval '1 day' WHERE "
                    + "operation_id = '%s' RETURNING 1")
                    .formatted(id));
        }
        return id;
    }

    /** The same, but an answer came another way during the status query: the attempt has definitely failed. */
    public String unresolvedWithoutAnOpenAttempt() {
        return unresolved(new Outcome.Failed(FailureCause.PSP_UNWELL, "it said so by webhook"));
    }

    private String unresolved(Outcome heard) {
        String id = accept(MERCHANT, 700, "JPY");
        claim(id);
        hear(id, heard);
        change(List.of(id), (connection, operations, now) -> {
            Operation operation = operations.getFirst();
            operation.leaveUnresolved("gateway_timed_out", "no answer", now, Duration.ofHours(6));
            DeadLetterTable.bury(connection, queue().topics(), List.of(DeadLetter.of(operation, "unresolved", "no answer")));
        });
        return id;
    }

    /** Dead by a bug, with an attempt that may have taken the money. */
    public String deadWithAnOpenAttempt() {
        String id = accept(MERCHANT, 900, "EUR");
        claim(id);
        bury(id, "internal_error", "it threw");
        return id;
    }

    public String poison(byte[] value) {
        return poison("payments.requests", value);
    }

    public String poison(String topic, byte[] value) {
        var source = new FoundRecord(topic, 3, System.nanoTime(), "key".getBytes(), value, null);
        DeadLetter poison = DeadLetter.poison(source, VAULT, "undecodable", "no JSON object with a type");
        owner().inTransaction(connection -> {
            DeadLetterTable.bury(connection, queue().topics(), List.of(poison));
            return poison;
        });
        return poison.id();
    }

    void claim(String id) {
        claim(List.of(id));
    }

    private void claim(List<String> ids) {
        change(ids, (connection, operations, now) -> {
            operations.forEach(operation -> operation.claim(UUID.randomUUID(), "stripe", now.plusSeconds(30)));
            AttemptTable.insert(connection, operations.stream()
                    .map(operation -> Attempt.inFlight(operation, new byte[] {1}, now, now.plus(Duration.ofDays(1)))).toList());
        });
    }

    void hear(String id, Outcome outcome) {
        hear(List.of(id), outcome);
    }

    private void hear(List<String> ids, Outcome outcome) {
        change(ids, (connection, operations, now) -> {
            List<Observation> told = operations.stream().map(operation -> Observation.of(operation.attemptKey(), "call", outcome)).toList();
            AttemptTable.fold(connection, told);
            ObservationTable.append(connection, told);
        });
    }

    private void bury(String id, String cause, String message) {
        bury(List.of(id), cause, message);
    }

    private void bury(List<String> ids, String cause, String message) {
        change(ids, (connection, operations, now) -> {
            operations.forEach(operation -> operation.bury(cause, message));
            DeadLetterTable.bury(connection, queue().topics(),
                    operations.stream().map(operation -> DeadLetter.of(operation, cause, message)).toList());
        });
    }

    void change(List<String> ids, Change change) {
        owner().inTransaction(connection -> {
            var locked = OperationTable.lock(connection, ids);
            List<Operation> operations = ids.stream().map(locked.rows()::get).toList();
            change.on(connection, operations, locked.now());
            OperationTable.save(connection, operations);
            return operations;
        });
    }

    public Operation operation(String id) {
        return owner().withConnection(connection -> OperationTable.find(connection, id)).orElseThrow();
    }

    /** A dead letter's state and revision, as {@code dead/1}. */
    public String letter(String id) {
        return text("SELECT state || '/' || revision FROM dead_letter WHERE dead_letter_id = '" + id + "'");
    }

    /** What was staged for a key on a topic, first to last: {@code record} or {@code tombstone}. */
    public String staged(String topic, String id) {
        return text("SELECT string_agg(CASE WHEN value IS NULL THEN 'tombstone' ELSE 'record' END, ' ' ORDER BY outbox_id)"
                + " FROM outbox WHERE topic = '" + topic + "' AND record_key = '" + id + "'");
    }

    /** What people did with a dead letter, first to last; not what the queue records of each change itself. */
    public String audit(String id) {
        return text(
                "SELECT string_agg(action, ' ' ORDER BY audit_id) FROM audit_record WHERE actor <> 'dead-letter-queue' AND resource_id = '"
                        + id + "'");
    }

    /** Everything that a change of a dead letter could touch, as one comparable text. */
    public String everything() {
        return text("""
                SELECT md5(coalesce((SELECT string_agg(operation_now::text, '|' ORDER BY operation_id) FROM operation_now), ''))
                    || md5(coalesce((SELECT string_agg(dead_letter::text, '|' ORDER BY dead_letter_id) FROM dead_letter), ''))
                    || (SELECT count(*) FROM outbox) || (SELECT count(*) FROM audit_record WHERE resource_type <> 'dlq_run')
                """);
    }

    /** While another transaction holds a payment's row. */
    public <T> T holding(String operation, Supplier<T> meanwhile) {
        return owner().inTransaction(connection -> {
            OperationTable.lock(connection, List.of(operation));
            return meanwhile.get();
        });
    }

    public boolean isWaitingForALock() {
        return !text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").equals("0");
    }

    /** Whether someone has waited for a lock longer than a service would. */
    public boolean isWaitingLongForALock() {
        return !text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                + " AND query_start < clock_timestamp() - interval '200 ms'").equals("0");
    }

    /** A dead payment by a stored method, of which a PSP was sent this token. */
    public String deadByStoredMethod(String method, String token) {
        String id = dead();
        rewrite("""
                SET session_replication_role = replica;
                UPDATE operation SET payment_method = '%2$s' WHERE operation_id = '%1$s';
                UPDATE payment_attempt SET request = '%3$s' WHERE payment_id = '%1$s';
                RESET session_replication_role
                """.formatted(id, method, token));
        return id;
    }

    /** For what no service does. */
    public void rewrite(String sql) {
        owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    public String text(String sql) {
        return owner().withConnection(connection -> {
            try (var statement = connection.createStatement(); var result = statement.executeQuery(sql)) {
                return result.next() && result.getString(1) != null ? result.getString(1) : "nothing";
            }
        });
    }

    /** An empty queue for the next test. */
    public void clear() {
        owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement
                        .execute("SET session_replication_role = replica; TRUNCATE capture_failure, dispute, operation, operation_state, "
                                + "waiting, payment_attempt, psp_observation, dead_letter, outbox, audit_record, audit_seal, "
                                + "dlq_run, dlq_run_item, tier_visit, hand_settlement, unmatched_notice, hold, webhook_endpoint, "
                                + "webhook_secret, webhook_delivery, receipt; RESET "
                                + "session_replication_role");
            }
        });
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        clear();
    }

    @Override
    public void afterAll(ExtensionContext tests) {
        close();
    }

    public void close() {
        queue.database().close();
        owner.close();
        open = false;
    }
}
