// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.payment.OperationState;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** A restart does not bring Postgres back, and would lose the answers that wait for it. */
class PostgresAwayTest {

    private static final Duration STUCK_AFTER = Duration.ofMillis(100);

    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());

    @Test
    void a_handler_that_waits_for_postgres_is_no_standstill_and_goes_on_when_it_is_back() throws Exception {
        try (var books = new EngineFixture(); var admin = Admin.create(kafka.clientProperties())) {
            String topic = books.topics.requests();
            new TopicPlan(books.topics, 1, Optional.of((short) 1)).create(admin);
            var process = books.process(new FakePsp());
            String id = books.accept("order-1");
            byte[] value = books.takeWork().getFirst().value();
            String name = databaseName(books);
            onTheServer("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(name));
            onTheServer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'".formatted(name));
            try (var producer = new ProducerSettings(kafka, "test").newProducer()) {
                producer.send(new ProducerRecord<>(topic, id.getBytes(), value)).get();
            }
            try (var loop = loop(books, process)) {
                Waiting.until(() -> loop.health().nextAnswer().isPresent());
                Instant first = loop.health().nextAnswer().orElseThrow();
                Waiting.until(() -> loop.health().nextAnswer().filter(first.plusSeconds(3)::isBefore).isPresent());
                assertThat(loop.standstill()).as("what /health/live asks").isEmpty();
                onTheServer("ALTER DATABASE %s ALLOW_CONNECTIONS true".formatted(name));
                Waiting.until(() -> books.state(id) == OperationState.SUCCEEDED);
            }
        }
    }

    private RecordLoop loop(EngineFixture books, EngineFixture.Process process) {
        String topic = books.topics.requests();
        return new RecordLoop(LoopSettings.of(topic, Set.of(topic), 10).withStuckAfter(STUCK_AFTER),
                new ConsumerSettings(kafka, books.topics.groupOfTier(0), GroupProtocol.CONSUMER), DueTimes.immediately(),
                Tracing.off().around("charge", process.handler), new SteadyClock(), new SimpleMeterRegistry()).start();
    }

    private static String databaseName(EngineFixture books) {
        return books.database.withConnection(connection -> connection.getCatalog());
    }

    private static void onTheServer(String sql) throws Exception {
        try (var connection = DriverManager.getConnection(TestStack.jdbcUrl("postgres")); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
