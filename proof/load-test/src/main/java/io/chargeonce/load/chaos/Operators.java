// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.approval.Settle;
import io.chargeonce.dlq.run.Cancels;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.wire.Topics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two people who merge, purge, restore, cancel and refund at once, often the same dead letters, until their process is killed. */
final class Operators {

    private static final Logger LOG = LoggerFactory.getLogger(Operators.class);
    private static final Duration REFUND_WITHIN = Duration.ofMinutes(10);

    private final DeadLetterQueue queue;
    private final String name;
    private final RandomGenerator random;
    private final Path hasty;

    private Operators(DeadLetterQueue queue, String name, RandomGenerator random, Path hasty) {
        this.queue = queue;
        this.name = name;
        this.random = random;
        this.hasty = hasty;
    }

    /** @param hasty while this file exists, they do not wait for what a PSP may still tell */
    static void work(DeadLetterQueue queue, long seed, Path hasty) throws InterruptedException {
        var second = new Operators(queue, "second", new Random(seed + 1), hasty);
        Thread.ofPlatform().daemon().name("second").start(second::run);
        new Operators(queue, "first", new Random(seed), hasty).run();
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            Pauses.of(Duration.ofMillis(50 + random.nextInt(300)));
            try {
                runOnce();
            } catch (DatabaseUnavailable | DatabaseRefused outage) {
                LOG.info("Postgres is not there: {}", outage.getMessage());
            }
        }
    }

    private void runOnce() {
        AuditContext by = AuditContext.of(name, Optional.of("because it is chaos"));
        if (Files.exists(hasty) && random.nextBoolean()) {
            hastily(by);
            return;
        }
        switch (random.nextInt(7)) {
            case 0, 1 -> change(RunKind.MERGE, DeadLetterFilter.everything(), by, RunTerms.UNATTENDED);
            case 2 -> some("dead").ifPresent(filter -> change(RunKind.MERGE, filter, by, RunTerms.UNATTENDED));
            case 3 -> some("dead").ifPresent(filter -> change(RunKind.PURGE, filter, by, RunTerms.UNATTENDED));
            case 4 -> some("purged").ifPresent(filter -> change(RunKind.RESTORE, filter, by, RunTerms.UNATTENDED));
            case 5 -> queue.database().withConnection(connection -> Sql.first(connection, UNDER_WAY, row -> row.getString(1)))
                    .ifPresent(id -> new Cancels(queue).cancel(id, by));
            default -> refund(NEWEST_PAYMENT);
        }
    }

    private void change(RunKind kind, DeadLetterFilter filter, AuditContext by, RunTerms terms) {
        new DlqRuns(queue).unattended(kind, kind.plan(queue, filter), by, terms);
    }

    /** What is purged and restored here may have been paid all the same. */
    private void hastily(AuditContext by) {
        switch (random.nextInt(4)) {
            case 0, 1 -> some("dead")
                    .ifPresent(filter -> change(RunKind.PURGE, filter, by, RunTerms.UNATTENDED.evenUnresolved(true)));
            case 2 -> some("purged").ifPresent(filter -> change(RunKind.RESTORE, filter, by, RunTerms.UNATTENDED));
            default -> refund(NEWEST_DEAD);
        }
    }

    /** One that waits, or is dead. */
    private static final String UNDER_WAY = """
            SELECT operation_id FROM waiting JOIN operation USING (operation_id) WHERE list = 'work' AND kind = 'charge'
             UNION ALL
            SELECT dead_letter_id FROM dead_letter JOIN operation USING (operation_id) WHERE state = 'dead' AND kind = 'charge'
             ORDER BY 1 DESC LIMIT 1
            """;

    private static final String CANCELING = """
            UPDATE operation_state SET cancel_requested_at = NULL
             WHERE cancel_requested_at IS NOT NULL AND resolve_at IS NOT NULL AND psp = 'adyen'
            """;

    /** Until Adyen has forgotten a key, no status query may be sent, and no campaign waits so long: the owner withdraws such cancels. */
    static void takeBackWhatCannotBeAsked(Database database) {
        database.inTransaction(connection -> Sql.update(connection, CANCELING));
    }

    private static final String PURGED_AND_OPEN = """
            SELECT dead_letter_id FROM dead_letter JOIN operation_state USING (operation_id)
             WHERE dead_letter.state = 'purged' AND resolve_at IS NOT NULL
            """;

    /** Nothing is sent for what is purged, so a PSP that can only be asked by sending never tells of it. People undo such purges. */
    static void restoreWhatIsOpen(Database database) {
        var queue = new DeadLetterQueue(database, new Topics("payments"));
        List<String> ids = database.withConnection(connection -> Sql.all(connection, PURGED_AND_OPEN, row -> row.getString(1)));
        if (!ids.isEmpty()) {
            new DlqRuns(queue).unattended(RunKind.RESTORE, Plan.ofPurged(queue, DeadLetterFilter.ofIds(ids)),
                    AuditContext.of("first", Optional.of("its outcome must be known")), RunTerms.UNATTENDED);
        }
    }

    private static final String UNTOLD = """
            SELECT dead_letter_id, psp_key, key_valid_until > now(), key_valid_until < now() - interval '6 seconds'
              FROM operation_state JOIN payment_attempt USING (operation_id, sequence)
              JOIN dead_letter ON dead_letter_id = operation_state.operation_id
             WHERE operation_state.state = 'unresolved' AND dead_letter.state = 'dead' AND payment_attempt.psp = 'adyen'
               AND sent_at < now() - interval '5 seconds'
            """;
    private static final String KNOW_KEY =
            "UPDATE payment_attempt SET key_valid_until = now() + make_interval(days => ?) WHERE psp_key = ?";

    /**
     * @param keyIsKnown whether a status query may send the key again
     * @param isOver     whether the key's life ended longer ago than a lease and a call take, so that no status query that began before may
     *                   still send it
     */
    private record Untold(String id, String key, boolean keyIsKnown, boolean isOver) {}

    /**
     * Adyen answers a key for days as it did first, with a frozen 500 too, and tells of no payment that it has not made. A person looks
     * into its books when it has forgotten the key; no campaign waits so long. So the key's life is ended, and a later call settles by
     * books that are read when nothing may send it any more. What was made meanwhile has its key's life back, and Adyen tells of it.
     */
    static void settleWhatAdyenHasNot(Database database, Supplier<List<Movement>> books) {
        List<Untold> untold = database.withConnection(connection -> Sql.all(connection, UNTOLD,
                row -> new Untold(row.getString(1), row.getString(2), row.getBoolean(3), row.getBoolean(4))));
        Set<String> made = books.get().stream().flatMap(movement -> movement.idempotencyKey().stream()).collect(Collectors.toSet());
        var settle = new Settle(new DeadLetterQueue(database, new Topics("payments")));
        for (Untold one : untold) {
            boolean isMade = made.contains(one.key);
            if (isMade != one.keyIsKnown) {
                database.inTransaction(connection -> Sql.update(connection, KNOW_KEY, isMade ? 1 : 0, one.key));
            } else if (one.isOver) {
                settle.propose(new Settle.Finding(one.id, Optional.empty(), "as its books say"),
                        AuditContext.of("auditor", Optional.of("its outcome must be known")));
            }
        }
    }

    private static final String SOME = "SELECT dead_letter_id FROM dead_letter WHERE state = ? ORDER BY died_at DESC LIMIT 4";

    /** Both people look at the newest ones. */
    private Optional<DeadLetterFilter> some(String state) {
        List<String> ids = queue.database().withConnection(connection -> Sql.all(connection, SOME, row -> row.getString(1), state));
        return ids.isEmpty() ? Optional.empty() : Optional.of(DeadLetterFilter.ofIds(ids));
    }

    private static final String NEWEST_PAYMENT = """
            SELECT payment_id, merchant_id, amount FROM operation_now WHERE kind = 'charge' AND state = 'succeeded'
             ORDER BY settled_at DESC LIMIT 1
            """;

    private static final String NEWEST_DEAD = """
            SELECT payment_id, merchant_id, amount FROM operation_now WHERE kind = 'charge' AND state IN ('dead', 'unresolved', 'purged')
             ORDER BY accepted_at DESC LIMIT 1
            """;

    /** Two requests for one line of one order, and one for all that is left. */
    private void refund(String which) {
        Database database = queue.database();
        Optional<Refunds.RefundRequest> line = database.withConnection(connection -> Sql.first(connection, which,
                row -> new Refunds.RefundRequest(row.getString(2), new PaymentId(row.getString(1)),
                        OptionalLong.of(1 + row.getLong(3) / 3), Optional.of("line-1"))));
        line.ifPresent(ask -> {
            var rest = new Refunds.RefundRequest(ask.merchant(), ask.payment(), OptionalLong.empty(), Optional.empty());
            var again = new Refunds.RefundRequest(ask.merchant(), ask.payment(), ask.amount(), ask.reference());
            List.of(ask, again, rest).forEach(one -> database.inTransaction(
                    connection -> Refunds.accept(connection, queue.topics(), one, REFUND_WITHIN, KnownPsps.BUILT_IN)));
        });
    }
}
