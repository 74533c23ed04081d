// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.chargeonce.runtime.Lifecycle;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;

/**
 * The yardstick: poll, claim a batch in one commit, call the PSP on virtual threads, settle what has come back in one commit
 * with its outbox rows, relay, and nothing else: no step, no lease, no retry, no order, no care for a failure. What it does
 * a second is what this machine can do with these tables.
 */
final class Composite implements Contestant {

    private static final int IN_FLIGHT = 4_000;
    private static final int BATCH = 500;
    private static final int WRITERS = 2;

    @Override
    public String name() {
        return "composite";
    }

    @Override
    public String about() {
        return "yardstick: the same tables and outbox, no retries and no fencing";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        var lifecycle = new Lifecycle("composite", Duration.ofSeconds(20));
        var connection = new KafkaConnection(arena.plot().kafka(), Map.of());
        var database = lifecycle.start("database", () -> Database.openForService(arena.plot().jdbcUrl(), "postgres", "", 16));
        var producers = new ProducerSettings(connection, "composite");
        var relay = lifecycle.start("relay",
                () -> new OutboxRelay(database, Staging::request, producers::newProducer, OutcomeEvents.SOURCE, new SimpleMeterRegistry())
                        .start());
        lifecycle.start("flow", () -> new Flow(arena, database, relay,
                new ConsumerSettings(connection, arena.requests() + ".composite", GroupProtocol.CLASSIC).newConsumer()));
        return lifecycle;
    }

    private static final class Flow implements AutoCloseable {
        private final Arena arena;
        private final Database database;
        private final Consumer<byte[], byte[]> consumer;
        private final Semaphore room = new Semaphore(IN_FLIGHT);
        private final java.util.concurrent.ExecutorService claimers = Executors.newFixedThreadPool(WRITERS);
        private final java.util.concurrent.ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
        private final Coalescer<PipelineRows.Settled, Boolean> settling;
        private final Thread poller;

        Flow(Arena arena, Database database, OutboxRelay relay, Consumer<byte[], byte[]> consumer) {
            this.arena = arena;
            this.database = database;
            this.consumer = consumer;
            this.settling = new Coalescer<>("settle", database, WRITERS, relay::nudge, this::settle);
            this.poller = Thread.ofPlatform().name("composite").start(this::poll);
        }

        private void poll() {
            try (consumer) {
                consumer.subscribe(List.of(arena.requests()));
                while (true) {
                    var batch = new ArrayList<PipelineRows.Claimed>();
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                        batch.add(PipelineRows.Claimed.of(OutcomeEvents.request(record.value())));
                        if (batch.size() == BATCH) {
                            submit(batch);
                            batch = new ArrayList<>();
                        }
                    }
                    submit(batch);
                    consumer.commitAsync();
                }
            } catch (WakeupException closing) {
                // The run is over.
            }
        }

        private void submit(List<PipelineRows.Claimed> batch) {
            if (!batch.isEmpty()) {
                room.acquireUninterruptibly(batch.size());
                claimers.execute(() -> claim(batch));
            }
        }

        private void claim(List<PipelineRows.Claimed> batch) {
            database.inTransaction(connection -> {
                PipelineRows.claim(connection, batch);
                return null;
            });
            batch.forEach(claimed -> calls.execute(() -> {
                String reference = arena.psp().charge(claimed.key().value(), claimed.request().paymentId());
                settling.ask(new PipelineRows.Settled(claimed, reference));
                room.release();
            }));
        }

        private List<Boolean> settle(Connection connection, List<PipelineRows.Settled> batch) throws SQLException {
            PipelineRows.settle(connection, batch);
            Outbox.stage(connection, batch.stream().map(settled -> new OutboxRow(arena.outcomes(),
                    settled.claimed().request().operationId(),
                    Optional.of(OutcomeEvents.value(settled.claimed().request(), settled.reference())),
                    OutcomeEvents.headers(settled.claimed().request()))).toList());
            return Collections.nCopies(batch.size(), true);
        }

        @Override
        public void close() throws InterruptedException {
            consumer.wakeup();
            poller.join();
            claimers.close();
            calls.close();
            settling.close();
        }
    }
}
