// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.audit.AuditSealer;
import io.chargeonce.charge.call.PspExchange;
import io.chargeonce.charge.due.Cancellations;
import io.chargeonce.charge.due.DueRepresentments;
import io.chargeonce.charge.due.EndedPurges;
import io.chargeonce.charge.due.OldestDue;
import io.chargeonce.charge.due.Sweeper;
import io.chargeonce.charge.due.TopicProgress;
import io.chargeonce.charge.settlement.BookedMoney;
import io.chargeonce.charge.settlement.LastReconciliations;
import io.chargeonce.charge.webhook.PspHealthSync;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.charge.webhook.WebhookServer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DriftedGrants;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.database.DatabaseWaits;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.BufferBudget;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.ledger.LateOperations;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.charge.evidence.BankLines;
import io.chargeonce.ledger.Staging;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.PspAccount;
import io.chargeonce.payment.route.RouteRule;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.runtime.AdminServer;
import io.chargeonce.runtime.HealthCheck;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.runtime.Worker;
import io.chargeonce.runtime.tls.CertificateExpiry;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Everything between a record and its outcome, assembled once for the main topic's service and the tiers'. */
public final class ChargeEngine {

    /** How long recording an answer may take after it arrived. */
    private static final Duration TO_RECORD = Duration.ofSeconds(1);
    /** A record in flight continues after its partition moves to another member, so a rebalance need not wait for it. */
    private static final Duration IN_A_REBALANCE = Duration.ofSeconds(5);
    /** The time to commit and to leave a group. */
    private static final Duration TO_LEAVE = Duration.ofSeconds(15);
    /** To Postgres, of one process. */
    public static final int CONNECTIONS = 16;

    private final ChargeSettings settings;
    private final MeterRegistry meters;
    private final Tracing tracing;
    private final Lifecycle lifecycle;
    private final Topics topics;
    private final KafkaConnection kafka;
    private final Database database;
    private final OutboxRelay relay;
    private final Gateways gateways;
    private final PspExchange exchange;
    private final RetrySchedule schedule;
    private final KnownHolds holds;
    private final OutcomeRecorder resolutions;
    private final ChargeHandler handler;
    private final FloodGuard flood;
    /** Of all loops together, so that the memory does not grow with tiers and partitions. */
    private final BufferBudget buffers;
    /** The longest time for one attempt at every PSP, one after the other. */
    private final Duration longestAttempt;
    private final List<RecordLoop> loops = new CopyOnWriteArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private Optional<HealthCheck> webhooks = Optional.empty();

    /** The first one that is closed stops all loops, so that they wait for their calls at the same time. */
    private record DrainedLoop(List<RecordLoop> all, RecordLoop loop) implements AutoCloseable {

        @Override
        public void close() {
            all.forEach(RecordLoop::stop);
            loop.close();
        }
    }

    /** An outage must be known to all processes before a payment has gone through its tiers in it. */
    private static Duration newsEvery(Duration shortestTier) {
        Duration usual = Duration.ofSeconds(1);
        return shortestTier.compareTo(usual) < 0 ? shortestTier : usual;
    }

    /** Starts the parts that every loop needs: database, relay, claims, resolutions. {@code lifecycle} closes them. */
    public ChargeEngine(ChargeSettings settings, List<Gateway> psps, MeterRegistry meters, Tracing tracing, Lifecycle lifecycle) {
        refuseShortLease(settings, psps);
        this.longestAttempt = psps.stream().map(psp -> psp.callBudget().plus(TO_RECORD)).reduce(Duration.ZERO, Duration::plus);
        this.settings = settings;
        this.buffers = BufferBudget.ofMebibytes(settings.pace().bufferMib());
        this.meters = meters;
        this.tracing = tracing;
        this.lifecycle = lifecycle;
        var pipeline = settings.pipeline();
        PublishedSettings.publish(meters, pipeline.tiers(), settings.psps(), settings.ourReceipts());
        CertificateExpiry.reportOurs(meters, pipeline.databaseUrl(), pipeline.kafkaProperties());
        this.topics = new Topics(pipeline.topicPrefix());
        this.kafka = KafkaConnection.of(pipeline.kafka(), pipeline.kafkaProperties()).countedBy(meters);
        this.database = lifecycle.start("database", () -> Database.openForService(
                pipeline.databaseUrl(), pipeline.databaseUser(), pipeline.databasePassword(), CONNECTIONS).countedBy(meters));
        lifecycle.start("agreed settings", () -> {
            AgreedSettings.mustHave(database, Optional.of(pipeline.tiers()), pipeline.eventSource());
            return () -> {};
        });
        var producers = new ProducerSettings(kafka, "chargeonce-relay");
        this.relay = lifecycle.start("relay",
                () -> new OutboxRelay(database, Staging::request, producers::newProducer, pipeline.eventSource(), meters).start());
        startWorker("database-waits", Duration.ofSeconds(5), new DatabaseWaits(database, meters)::runOnce);
        List<Gateway> all =
                Stream.concat(psps.stream(), settings.banks().stream().map(bank -> settings.providers().of(bank).orElseThrow().provider()
                        .account(PspAccount.atBank(bank, database)).gateway())).toList();
        this.gateways = new Gateways(all, settings.breakerOpenFor(), settings.pace().quotas(), new SteadyClock(), meters);
        Routes routes = settings.routes().orElseGet(() -> new Routes(List.of(RouteRule.everything(gateways.psps()))));
        var routing = new Routing(routes, gateways, settings.providers().known());
        this.holds = new KnownHolds(database, gateways, new SteadyClock(), meters);
        startWorker("holds", Duration.ofMillis(500), holds::runOnce);
        this.exchange = lifecycle.start("exchange", () -> new PspExchange(database, gateways, meters, tracing));
        this.schedule = RetrySchedule.of(pipeline.tiers());
        var askFirst = new AskFirst(settings.lostRows(), all, database);
        var claims = lifecycle.start("claims",
                () -> new Claims(database, routing, holds, askFirst, schedule, topics, settings.lease(), settings.ourReceipts(),
                        relay::nudge, meters));
        this.resolutions = lifecycle.start("resolutions", () -> new OutcomeRecorder(
                database, schedule, new Failover(routing, holds, askFirst, settings.lease()), new StatusQueryPauses(settings.queries()),
                topics,
                settings.ourReceipts(), relay::nudge, meters));
        this.flood = new FloodGuard(settings.pace().inAFlood(), new SteadyClock(), meters);
        var poison = lifecycle.start("poison", () -> new PoisonQuarantine(database, topics, settings.vault(), relay::nudge, meters));
        startWorker("psp-news", newsEvery(pipeline.tiers().getFirst()),
                new PspHealthSync(database, gateways, routes, pipeline.tiers(), settings.lostRows().until())::runOnce);
        this.handler = new ChargeHandler(claims, askFirst, exchange, gateways, resolutions, poison, flood,
                new FutureVersions(InstantSource.system(), meters), meters);
    }

    /** Starts the loop of one tier's topic; 0 is the main topic. */
    public void startLoop(int tier) {
        String topic = topics.ofTier(tier);
        var consumer = new ConsumerSettings(kafka, topics.groupOfTier(tier), GroupProtocol.CLASSIC);
        DueTimes due = tier == 0 ? DueTimes.immediately() : DueTimes.afterAppend(schedule.tiers().get(tier - 1).delay());
        // After that time its attempt is in Postgres, where the resolver finds it. So a second call of the handler finds that the record is
        // done.
        var usual = LoopSettings.of(topic, Set.of(topic), settings.inFlight()).withStuckAfter(longestAttempt)
                .withWaits(IN_A_REBALANCE, longestAttempt).withBudget(buffers);
        var loop = tier == 0 ? usual : usual.withMostPerSecond(settings.pace().tierReleases()).withHold(() -> holds.isTierPaused(tier));
        loops.add(lifecycle.start(topic, longestAttempt.plus(TO_LEAVE), () -> new DrainedLoop(loops, new RecordLoop(loop, consumer, due,
                tracing.around(topics.groupOfTier(tier), handler), new SteadyClock(), meters).start())).loop());
    }

    /**
     * Starts the workers that ask about unknown outcomes, present soft declines again, publish cancels and the outcome of purges, stage
     * again what Kafka lost, search for operations that are in no list, and seal the audit log.
     */
    public void startCaretakers() {
        var resolver = lifecycle.start("status-queries",
                () -> new Resolver(database, gateways, exchange, resolutions, topics, tracing, settings.lease()));
        startWorker("resolver", Duration.ofMillis(500), resolver::start);
        var absent = new AbsentPsps(database, gateways, topics, settings.ourReceipts(), relay::nudge, meters);
        startWorker("absent-psps", Duration.ofSeconds(30), absent::runOnce);
        var presenter = new DueRepresentments(database, topics, relay::nudge);
        startWorker("presenter", Duration.ofSeconds(10), presenter::runOnce);
        var cancels = new Cancellations(database, topics, relay::nudge);
        startWorker("cancels", Duration.ofMillis(500), cancels::runOnce);
        var purges = new EndedPurges(database, topics, relay::nudge);
        startWorker("purge-end", Duration.ofMinutes(1), purges::runOnce);
        var progress = lifecycle.start("topic progress", () -> new TopicProgress(kafka));
        var sweeper = new Sweeper(database, progress, topics, schedule.tiers().size(), holds::isTierPaused, settings.sweepAfter(),
                relay::nudge);
        startWorker("sweeper", settings.sweepAfter().dividedBy(2), sweeper::runOnce);
        startWorker("search", Duration.ofMinutes(1), () -> LateOperations.listMissed(database));
        var sealer = new AuditSealer(database, topics, settings.seals(), relay::nudge, meters);
        startWorker("audit-sealer", sealer.pause(), sealer::runOnce);
        startWorker("grants", Duration.ofMinutes(5), new DriftedGrants(database, meters)::runOnce);
        startWorker("transactions", Duration.ofSeconds(30), new OpenTransactions(database, new SteadyClock(), meters)::runOnce);
        if (!settings.banks().isEmpty()) {
            var lines = new BankLines(database, topics, settings.ourReceipts(), settings.settlementKeys(), relay::nudge, meters);
            startWorker("bank-lines", Duration.ofSeconds(1), lines::runOnce);
        }
        startWorker("oldest-due", Duration.ofSeconds(15), new OldestDue(database, topics, meters)::runOnce);
        var backlog = new Backlog(database, new SteadyClock(), meters);
        startWorker("backlog", Duration.ofSeconds(5), backlog::runOnce);
    }

    /** Settles what settlement reports say about attempts whose outcome is unknown or another one, and shows the last comparisons. */
    public void startSettlements() {
        var booked = new BookedMoney(database, gateways, exchange, topics, settings.ourReceipts(), settings.settlementKeys(), relay::nudge,
                meters);
        startWorker("booked-money", Duration.ofSeconds(5), booked::runOnce);
        startWorker("reconciliations", Duration.ofSeconds(15), new LastReconciliations(database, meters)::runOnce);
    }

    private void startWorker(String name, Duration pause, IntSupplier pass) {
        workers.add(lifecycle.start(name, () -> Worker.start(name, pause, pass).countedBy(meters)));
    }

    /** Accepts webhooks of PSPs, if an address is set. */
    public void startWebhooks() {
        settings.webhooks().ifPresent(address -> {
            var inbox = new WebhookInbox(database, gateways, exchange, topics, settings.ourReceipts(), relay::nudge,
                    meters);
            WebhookServer server = lifecycle.start("webhooks", () -> WebhookServer.start(address, inbox, meters));
            webhooks = Optional.of(() -> server.problem());
            startWorker("unmatched-notices", Duration.ofSeconds(10), inbox::matchAgain);
        });
    }

    /** Serves health and metrics, if an address is set. */
    public void startAdmin(Supplier<String> metrics) {
        settings.pipeline().admin().ifPresent(address -> lifecycle.start("admin server", () -> {
            var admin = AdminServer.start(address, settings.pipeline().adminToken(), metrics).countedBy(meters)
                    .ready("database", database::problem).ready("dead-letter flood", flood::problem)
                    .ready("psps", gateways::problem)
                    .live("relay", relay::standstill).ready("relay", relay::problem);
            workers.forEach(admin::watch);
            webhooks.ifPresent(answers -> admin.ready("webhooks", answers));
            for (int i = 0; i < loops.size(); i++) {
                RecordLoop loop = loops.get(i);
                admin.live("loop " + (i + 1), loop::standstill);
                admin.ready("loop " + (i + 1), loop::problem);
            }
            return admin;
        }));
    }

    /** If a lease expired during a call, the resolver would ask about an attempt that is still being made. */
    private static void refuseShortLease(ChargeSettings settings, List<Gateway> psps) {
        for (Gateway psp : psps) {
            if (settings.lease().compareTo(psp.callBudget().plus(TO_RECORD)) < 0) {
                throw new IllegalArgumentException(
                        ("CHARGEONCE_CLAIM_LEASE: is %ds, but an attempt at %s may take %ds; make it longer, or CHARGEONCE_PSP_TIMEOUT "
                                + "shorter")
                                .formatted(settings.lease().toSeconds(), psp.psp(), psp.callBudget().plus(TO_RECORD).toSeconds()));
            }
        }
    }
}
