// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.intake;

import io.chargeonce.database.Database;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.ingest.accept.AcceptRequest;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.IngestMeters;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the merchants' topics in one loop, and begins a new loop when a merchant gets a topic or loses it. One worker calls
 * {@link #runOnce}; any thread may close it afterwards.
 */
public final class Intake implements AutoCloseable {

    public static final Duration LOOK_EVERY = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
    private static final int MOST_IN_FLIGHT = 256;

    private final Supplier<Set<String>> topics;
    private final ConsumerSettings consumers;
    private final RecordHandler handler;
    private final MeterRegistry registry;
    private Set<String> read = Set.of();
    private volatile Optional<RecordLoop> loop = Optional.empty();

    Intake(Supplier<Set<String>> topics, KafkaConnection kafka, String group, RecordHandler handler, MeterRegistry registry) {
        this.topics = topics;
        this.consumers = new ConsumerSettings(kafka, group, GroupProtocol.CLASSIC);
        this.handler = handler;
        this.registry = registry;
    }

    /** @param staged called when a refusal is staged, so that a relay in this process publishes it at once */
    public static Intake of(Database database, KafkaConnection kafka, Topics topics, Function<AcceptRequest, Answer> accept,
                            Runnable staged,
                            MeterRegistry registry, Tracing tracing, InstantSource clock) {
        var refusals = new Refusals(database, topics.intakeRefused(), staged, clock);
        var handler = tracing.around(topics.intakeGroup(), new IntakeHandler(accept, refusals, new IngestMeters(registry), clock,
                () -> database.withConnection(AgreedSettings::read).retention()));
        var existing = new IntakeTopics(database, kafka, topics.intakePrefix());
        return new Intake(existing::existing, kafka, topics.intakeGroup(), handler, registry);
    }

    /** Checks whether the topics have changed. Always 0: the next check is not urgent. */
    public synchronized int runOnce() {
        Set<String> wanted = topics.get();
        if (!wanted.equals(read)) {
            LOG.info("Payment requests are now taken from HTTP and from {}", wanted);
            close();
            read = wanted;
            loop = wanted.isEmpty() ? Optional.empty() : Optional.of(startLoop(wanted));
        }
        return 0;
    }

    /**
     * Why it will not go on by itself, in one line. A refusal by Kafka is not a reason: payments still come over HTTP, and the loop's
     * meters show it.
     */
    public Optional<String> standstill() {
        return loop.flatMap(RecordLoop::standstill);
    }

    private RecordLoop startLoop(Set<String> wanted) {
        return new RecordLoop(LoopSettings.of("intake", wanted, MOST_IN_FLIGHT), consumers, DueTimes.immediately(), handler,
                new SteadyClock(), registry).start();
    }

    @Override
    public synchronized void close() {
        loop.ifPresent(RecordLoop::close);
        loop = Optional.empty();
        read = Set.of();
    }
}
