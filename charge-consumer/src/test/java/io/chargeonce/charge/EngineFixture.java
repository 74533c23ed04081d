// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.call.PspExchange;
import io.chargeonce.charge.settlement.BookedMoney;
import io.chargeonce.charge.webhook.PspHealthSync;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.Roles;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A new database with the engine's parts on it. A stand-in replaces the relay and the topics: it reads the outbox and hands the records
 * over.
 */
final class EngineFixture implements AutoCloseable {

    /** Long enough for a slow machine to send within it, and short enough to wait for. */
    static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration LONG_LEASE = Duration.ofSeconds(20);

    final Topics topics = new Topics("test-" + UUID.randomUUID());
    final String url = TestStack.newDatabase(empty -> {
        Migrations.apply(empty, "postgres", "");
        Roles.apply(empty, "postgres", "", Optional.empty());
    });
    /** The owner's, for changes that a test makes to the rows. */
    Database database;
    /** With the service's login, which has the rights of production. */
    Database charging;
    final RetrySchedule schedule;
    /** For processes that start later. */
    boolean ourReceipts;
    /** For processes that start later. */
    Optional<Instant> askFirstUntil = Optional.empty();
    /** For processes that start later: the PSPs whose reports people have compared. */
    Set<String> compared = Set.of();
    Map<String, Integer> quotas = Map.of();
    /** For processes that start later. */
    KnownPsps psps = KnownPsps.BUILT_IN;
    private final List<AutoCloseable> parts = new CopyOnWriteArrayList<>();

    EngineFixture(Duration... tiers) {
        this.database = Database.openForService(url, "postgres", "", 12);
        this.charging = openAsCharge();
        this.schedule = RetrySchedule.of(tiers.length == 0
                ? List.of(Duration.ofMillis(20), Duration.ofMillis(30), Duration.ofMillis(40)) : List.of(tiers));
    }

    /** They mark the lines of settlement reports that charge believes. */
    static final SettlementKeys SETTLEMENT_KEYS = SettlementKeys.of(Optional.of(new Secret("settlement-key-of-the-tests-0123456789")));

    /** The key that seals poison. */
    static final DataKey DATA_KEY = DataKey.fresh();

    /** A process: its own claims, resolutions, handler and resolver over the shared database. */
    final class Process implements AutoCloseable {
        final ChargeHandler handler;
        final Resolver resolver;

        final Gateways gateways;
        final PspHealthSync newsroom;
        final KnownHolds holds;
        final Claims claims;
        final PspExchange exchange;
        private final PoisonQuarantine poison;
        final OutcomeRecorder resolutions;
        final WebhookInbox inbox;
        final BookedMoney booked;
        final SimpleMeterRegistry meters = new SimpleMeterRegistry();

        Process(List<Gateway> psps, Optional<Routes> routes, Duration breakerOpenFor, int floodRate, InstantSource clock) {
            this(psps, routes, breakerOpenFor, floodRate, LONG_LEASE, clock);
        }

        Process(List<Gateway> psps, Optional<Routes> routes, Duration breakerOpenFor, int floodRate, Duration lease, InstantSource clock) {
            this.gateways = new Gateways(psps, breakerOpenFor, quotas, clock, meters);
            Routes known = routes.orElseGet(() -> Routes.parse("method= -> " + String.join(",", gateways.psps())));
            this.newsroom = new PspHealthSync(charging, gateways, known, List.of(), askFirstUntil);
            var routing = new Routing(known, gateways, EngineFixture.this.psps);
            this.exchange = new PspExchange(charging, gateways, meters, Tracing.off());
            this.poison = new PoisonQuarantine(charging, topics, DATA_KEY.seals(), () -> {}, new SimpleMeterRegistry());
            this.holds = new KnownHolds(charging, gateways, clock, meters);
            var askFirst = new AskFirst(new ChargeSettings.LostRows(askFirstUntil, compared), psps, charging);
            this.claims = new Claims(charging, routing, holds, askFirst, schedule, topics, lease, ourReceipts, () -> {}, meters);
            var ladder = new StatusQueryPauses(List.of(Duration.ofMillis(10)));
            this.resolutions =
                    new OutcomeRecorder(charging, schedule, new Failover(routing, holds, askFirst, lease), ladder, topics, ourReceipts,
                            () -> {}, meters);
            this.handler = new ChargeHandler(claims, askFirst, exchange, gateways, resolutions, poison,
                    new FloodGuard(floodRate, InstantSource.fixed(Instant.EPOCH), meters),
                    new FutureVersions(InstantSource.system(), meters), meters);
            this.inbox = new WebhookInbox(charging, gateways, exchange, topics, ourReceipts, () -> {}, meters);
            this.booked = new BookedMoney(charging, gateways, exchange, topics, ourReceipts, SETTLEMENT_KEYS, () -> {}, meters);
            this.resolver = new Resolver(charging, gateways, exchange, resolutions, topics, Tracing.off(), lease);
            parts.add(this);
        }

        @Override
        public void close() {
            resolver.close();
            claims.close();
            resolutions.close();
            exchange.close();
            poison.close();
            parts.remove(this);
        }

        Verdict handle(ConsumerRecord<byte[], byte[]> record) {
            return handler.handle(record);
        }

        /** Hands over all staged records, as often as new ones appear, and waits for those that are not due yet. */
        void drain() {
            for (List<ConsumerRecord<byte[], byte[]>> work = takeWork(); !work.isEmpty(); work = takeWork()) {
                for (var record : work) {
                    Waiting.until(() -> handle(record) instanceof Verdict.Done);
                }
            }
        }
    }

    /** Its leases last long enough for a busy machine. */
    Process process(Gateway... psps) {
        return new Process(List.of(psps), Optional.empty(), Duration.ofMillis(200), 0, InstantSource.system());
    }

    /** One that dies or stalls: what it leaves behind is taken over soon. */
    Process mortalProcess(Gateway... psps) {
        return new Process(List.of(psps), Optional.empty(), Duration.ofMillis(200), 0, LEASE, InstantSource.system());
    }

    /** In a flood of dead letters it lets one record through, because its clock stands still. */
    Process guardedProcess(Gateway psp) {
        return new Process(List.of(psp), Optional.empty(), Duration.ofMillis(200), 1, InstantSource.system());
    }

    Process process(Routes routes, Gateway... psps) {
        return new Process(List.of(psps), Optional.of(routes), Duration.ofMillis(200), 0, InstantSource.system());
    }

    /** By a clock that the test sets; the rows keep Postgres's. */
    Process process(InstantSource clock, Duration breakerOpenFor, Routes routes, Gateway... psps) {
        return new Process(List.of(psps), Optional.of(routes), breakerOpenFor, 0, clock);
    }

    /** For a client that must know another server's port before that server listens. */
    static int freePort() {
        try (var probe = new java.net.ServerSocket(0)) {
            return probe.getLocalPort();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A breaker that has opened stays open. */
    Process unforgivingProcess(Gateway... psps) {
        return new Process(List.of(psps), Optional.empty(), Duration.ofHours(1), 0, InstantSource.system());
    }

    /** Resets everything for the next test. */
    EngineFixture forget() {
        rewrite("TRUNCATE operation, operation_state, waiting, capture_failure, dispute, payment_attempt, psp_observation, outbox, "
                + "dead_letter, audit_record, audit_seal, retry_budget, psp_notice, unmatched_notice, hand_settlement, merchant, "
                + "psp_health, hold, settlement_line, reconciliation "
                + "CASCADE");
        return this;
    }

    private static final String ACCEPT = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency,
                                   payment_method, customer, receipt_email, charge_within_s)
            VALUES (?, ?, 'charge', 'acme', ?, ?, ?, ?, ?, ?, 86400)
            """;

    /** One payment that its PSP has not executed and does not report on, so that it is in the dead-letter queue. */
    String listedAsUnresolved(Process process, FakePsp psp) {
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        String id = accept("order-1");
        process.drain();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return count("FROM dead_letter WHERE state = 'dead'") == 1;
        });
        return id;
    }

    /**
     * As the ingest service stores a payment method of acme.
     *
     * @param accounts the PSPs that it has tokens of; each token is {@code pm_of_} or {@code stored_of_}, and each customer {@code cus_} or
     *                 nothing, before the method's name
     * @return its id
     */
    String store(String name, String... accounts) {
        String id = PaymentMethodId.derive("acme", new IdempotencyKey(name)).value();
        execute("INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT DO NOTHING");
        execute("""
                SELECT store_payment_method('acme', '%1$s', '%2$s', sha256('%2$s'), psps,
                           ARRAY(SELECT CASE WHEN psp LIKE 'stripe%%' THEN 'cus_' ELSE '' END || '%2$s' FROM unnest(psps) AS psp),
                           ARRAY(SELECT CASE WHEN psp LIKE 'stripe%%' THEN 'pm_of_' ELSE 'stored_of_' END || '%2$s'
                                   FROM unnest(psps) AS psp))
                  FROM string_to_array('%3$s', ',') AS psps
                """.formatted(id, name, String.join(",", accounts)));
        return id;
    }

    /** As the ingest service accepts: the operation and its outbox row in one transaction. */
    String accept(String key) {
        return accept(key, "pm_card_visa");
    }

    String accept(String key, String paymentMethod) {
        return accept(key, paymentMethod, new Money(1299, "EUR"));
    }

    String accept(String key, String paymentMethod, Money money) {
        return accept(key, paymentMethod, money, null, null);
    }

    String accept(String key, String paymentMethod, Money money, String customer, String email) {
        String id = PaymentId.derive("acme", new IdempotencyKey(key)).value();
        database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(ACCEPT)) {
                statement.setString(1, id);
                statement.setString(2, id);
                statement.setString(3, key);
                statement.setLong(4, money.minorUnits());
                statement.setString(5, money.currency());
                statement.setString(6, paymentMethod);
                statement.setString(7, customer);
                statement.setString(8, email);
                statement.executeUpdate();
            }
            Outbox.stageRequests(connection, topics.requests(), List.of(id));
            return null;
        });
        return id;
    }

    Refunds.Answer refund(String payment, OptionalLong amount, String reference) {
        return database.inTransaction(connection -> {
            Database.waitForLocks(connection, Duration.ofSeconds(10));
            return Refunds.accept(connection, topics, new Refunds.RefundRequest("acme", new PaymentId(payment), amount,
                    Optional.of(reference).filter(name -> !name.isEmpty())), Duration.ofDays(1), psps);
        });
    }

    /** The refunded amount, in minor units. */
    long refunded(String payment) {
        return number("SELECT coalesce(sum(amount), 0) FROM operation_now WHERE kind = 'refund' AND state = 'succeeded' AND payment_id = '"
                + payment + "'");
    }

    Operation operation(String id) {
        return database.withConnection(connection -> find(connection, id));
    }

    private static Operation find(Connection connection, String id) throws SQLException {
        return OperationTable.find(connection, id).orElseThrow();
    }

    OperationState state(String id) {
        return operation(id).state();
    }

    /** The staged work, as a consumer would get it; records for other topics stay staged. */
    List<ConsumerRecord<byte[], byte[]>> takeWork() {
        return takeWork("%");
    }

    /** @param operation an id, or a pattern of ids */
    List<ConsumerRecord<byte[], byte[]>> takeWork(String operation) {
        return database.withConnection(connection -> {
            var work = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            try (var statement = connection.prepareStatement("""
                    DELETE FROM outbox WHERE topic = ANY (?) AND record_key LIKE ? RETURNING outbox_id, topic, record_key, value
                    """)) {
                statement.setArray(1, connection.createArrayOf("text",
                        new Object[] {topics.requests(), topics.retry(1), topics.retry(2), topics.retry(3)}));
                statement.setString(2, operation);
                try (var result = statement.executeQuery()) {
                    while (result.next()) {
                        String id = result.getString(3);
                        byte[] value = result.getBytes(4);
                        work.add(new ConsumerRecord<>(result.getString(2), 0, result.getLong(1), id.getBytes(StandardCharsets.UTF_8),
                                value == null ? firstRequest(find(connection, id).accepted()) : value));
                    }
                }
            }
            return work;
        });
    }

    private static byte[] firstRequest(Operation.Accepted accepted) {
        return PaymentJson.write(PaymentRecord.of(accepted.payment().value(), accepted.kind(), accepted.operationId(), 1,
                accepted.merchant(), accepted.idempotencyKey(), accepted.request()));
    }

    /** As an operator merges it out of the dead-letter queue. */
    void merge(String id) {
        database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            operation.reenter(locked.now(), Duration.ofDays(1));
            OperationTable.save(connection, List.of(operation));
            Outbox.stage(connection, List.of(Staging.work(topics, operation)));
            return operation;
        });
    }

    /** As an operator stops what waits. */
    void stop(String id) {
        database.inTransaction(connection -> {
            Operation operation = OperationTable.lock(connection, List.of(id)).rows().get(id);
            operation.bury("stopped", "stopped while it waited");
            OperationTable.save(connection, List.of(operation));
            return operation;
        });
    }

    /** @param hot updates that wrote no entry into any index */
    record Written(long inserts, long updates, long hot) {}

    /** As Postgres has counted it. */
    Written written(String table) {
        awaitFigures();
        String of = " FROM pg_stat_user_tables WHERE relname = '" + table + "'";
        return new Written(number("SELECT n_tup_ins" + of), number("SELECT n_tup_upd" + of), number("SELECT n_tup_hot_upd" + of));
    }

    /** A connection reports its figures at the latest when it ends. */
    private void awaitFigures() {
        charging.close();
        database.close();
        database = Database.open(url, "postgres", "", 1);
        Waiting.until(() -> count("FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()") == 0);
        charging = openAsCharge();
    }

    /** How many rows of operation_state were read so far. */
    long operationsRead() {
        awaitFigures();
        return number("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'operation_state'");
    }

    private Database openAsCharge() {
        return Database.openForService(url.replace("user=postgres", "user=chargeonce_charge"), "chargeonce_charge", "", 12);
    }

    long count(String sql) {
        return number("SELECT count(*) " + sql);
    }

    private long number(String sql) {
        return Long.parseLong(text(sql));
    }

    String text(String sql) {
        return database.withConnection(connection -> {
            try (var statement = connection.createStatement(); var result = statement.executeQuery(sql)) {
                result.next();
                return result.getString(1);
            }
        });
    }

    long staged(String topic) {
        return count("FROM outbox WHERE topic = '" + topic + "'");
    }

    void daysAfterPurges(int days) {
        execute("""
                UPDATE dead_letter SET changed_at = changed_at - interval '%1$d days';
                UPDATE operation_state SET staged_at = staged_at - interval '%1$d days' WHERE state = 'purged'
                """.formatted(days));
    }

    /**
     * Writes rows that the triggers forbid: rows as a lost commit, a restored backup or another version's bug could have left them, and
     * that are found now.
     */
    void rewrite(String sql) {
        execute("SET session_replication_role = replica; " + sql
                + "; RESET session_replication_role; SELECT list_what_was_missed('0', 100000)");
    }

    void theKeysAreForgotten() {
        execute("UPDATE payment_attempt SET sent_at = now() - interval '2 days', key_valid_until = now() - interval '1 day'");
    }

    /** A person settles it by hand, as the command does it: charged under the reference, or not charged. */
    void find(String id, Optional<String> reference) {
        database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            boolean proposed = HandSettlementTable.propose(connection, operation, reference, "ticket 4711", "run_" + id);
            operation.askNow(locked.now());
            OperationTable.save(connection, List.of(operation));
            return proposed;
        });
    }

    void execute(String sql) {
        database.withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable part : parts) {
            part.close();
        }
        charging.close();
        requireTrueLists();
        database.close();
    }

    private static final String WRONGLY_LISTED = """
            WITH due AS (
                SELECT operation_id, its.* FROM operation_state CROSS JOIN LATERAL waits_for(operation_state) AS its WHERE listed
            ), known AS (
                SELECT operation_id, list, lane, due_at FROM waiting
            )
            SELECT string_agg(wrong::text, ' ')
              FROM (TABLE due EXCEPT TABLE known UNION ALL (TABLE known EXCEPT TABLE due)) AS wrong
            """;

    private static final String MISSED = """
            SELECT string_agg(operation_id, ' ') FROM operation JOIN operation_state USING (operation_id)
             WHERE NOT listed AND EXISTS (SELECT FROM waits_for(operation_state))
               AND operation_id NOT IN (SELECT operation_id FROM acceptances_from(last_look('acceptances'), 1000000) WHERE since IS NOT NULL
                                         UNION ALL
                                        SELECT operation_id FROM claims_from(last_look('claims'), 1000000) WHERE since IS NOT NULL)
            """;

    /**
     * After any test: all that waits is in its list, nothing else is, and no scan has passed over an operation that it should have listed.
     */
    private void requireTrueLists() {
        assertThat(text(WRONGLY_LISTED)).as("missing in a list, or wrongly listed").isNull();
        assertThat(text(MISSED)).as("passed over by a scan").isNull();
    }
}
