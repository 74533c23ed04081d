// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.ingest.accept.AcceptRequest;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.ExceptionMapper;
import io.chargeonce.ingest.answer.IngestMeters;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.kafka.TooLargeRecord;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IntakeHandlerTest {

    private static final int MORE_THAN_ENOUGH = 50;

    private final Database database = database();

    private static Database database() {
        String url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        return Database.openForService(url, "postgres", "", 2);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private IntakeHandler handler(Function<AcceptRequest, Answer> accept) {
        var refusals = new Refusals(database, "payments.intake-refused", () -> {}, InstantSource.system());
        return new IntakeHandler(accept, refusals, new IngestMeters(new SimpleMeterRegistry()), InstantSource.system(),
                () -> Duration.ofDays(60));
    }

    private static ConsumerRecord<byte[], byte[]> record() {
        return record(Duration.ZERO);
    }

    private static ConsumerRecord<byte[], byte[]> record(Duration age) {
        byte[] body = IngestWorld.BODY.getBytes(StandardCharsets.UTF_8);
        return new ConsumerRecord<>("payments.intake.acme", 0, 7L, Instant.now().minus(age).toEpochMilli(), TimestampType.CREATE_TIME, 5,
                body.length,
                "key-1".getBytes(StandardCharsets.UTF_8), body, new RecordHeaders(), Optional.empty());
    }

    private long refused() {
        return database.withConnection(connection -> {
            try (var row =
                    connection.createStatement().executeQuery("SELECT count(*) FROM outbox WHERE topic = 'payments.intake-refused'")) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    @Test
    void of_records_that_do_not_fit_into_memory_the_producer_learns_the_place_and_the_size() {
        IntakeHandler handler = handler(ask -> {
            throw new AssertionError("nothing was read");
        });
        var tooLarge = new TooLargeRecord("payments.intake.acme", 0, 17, 19, Instant.EPOCH.toEpochMilli(), 9_000, 250_000_000);
        assertThat(handler.handle(tooLarge)).isInstanceOf(Verdict.Done.class);
        assertThat(database.<String>withConnection(connection -> {
            try (var row = connection.createStatement().executeQuery("SELECT convert_from(value, 'UTF8') FROM outbox")) {
                row.next();
                return row.getString(1);
            }
        })).contains("body-too-large", "\"offset\":19",
                "offsets 17 to 19 of payments.intake.acme-0: 9,000 bytes in Kafka, at least 250,000,000 unpacked");
    }

    @Test
    void a_record_that_alone_runs_into_a_bug_is_refused_in_the_end_and_stands_in_nothings_way() {
        IntakeHandler handler = handler(ask -> ExceptionMapper.answer(() -> {
            throw new IllegalStateException("Bug! Planted");
        }));
        int asked = 1;
        while (handler.handle(record()) instanceof Verdict.NotBefore && asked < MORE_THAN_ENOUGH) {
            asked++;
        }
        assertThat(asked).isBetween(2, MORE_THAN_ENOUGH - 1);
        assertThat(refused()).isEqualTo(1);
    }

    /** A group that lost its offsets reads a topic again from its beginning, and the topic may be older than any key. */
    @Test
    void a_record_whose_key_may_be_forgotten_is_refused_and_never_accepted_again() {
        var accepted = new AtomicInteger();
        IntakeHandler handler = handler(ask -> {
            accepted.incrementAndGet();
            return new Answer(202, Map.of(), new byte[0], "accepted");
        });
        handler.handle(record(Duration.ofDays(59).minusMinutes(1)));
        assertThat(accepted.get()).isEqualTo(1);
        assertThat(refused()).isZero();
        assertThat(handler.handle(record(Duration.ofDays(59).plusMinutes(1)))).isEqualTo(Verdict.done());
        assertThat(accepted.get()).isEqualTo(1);
        assertThat(refused()).isEqualTo(1);
    }

    /** Its key would be forgotten some day, and the record would still be young. */
    @Test
    void a_record_with_a_time_in_the_future_is_refused_unless_only_clocks_differ() {
        var accepted = new AtomicInteger();
        IntakeHandler handler = handler(ask -> {
            accepted.incrementAndGet();
            return new Answer(202, Map.of(), new byte[0], "accepted");
        });
        handler.handle(record(Duration.ofDays(-1).plusMinutes(1)));
        assertThat(refused()).isZero();
        assertThat(handler.handle(record(Duration.ofDays(-1).minusMinutes(1)))).isEqualTo(Verdict.done());
        assertThat(accepted.get()).isEqualTo(1);
        assertThat(refused()).isEqualTo(1);
    }

    @Test
    void while_postgres_is_away_or_does_not_fit_a_record_waits_and_is_never_refused() {
        IntakeHandler handler = handler(ask -> Problems.unavailable().answer());
        for (int i = 0; i < MORE_THAN_ENOUGH; i++) {
            assertThat(handler.handle(record())).isInstanceOf(Verdict.NotBefore.class);
        }
        assertThat(refused()).isZero();
    }
}
