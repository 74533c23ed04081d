package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.kafka.Verdict;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IntakeHandlerTest {

    private static final int MORE_THAN_ENOUGH = 50;

    private final Database database = database();

    private static Database database() {
        String url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        return Database.openForService(url, "postgres", "", 2);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private IntakeHandler handler(Function<Ask, Answer> accept) {
        var refusals = new Refusals(database, "payments.intake-refused", () -> {}, InstantSource.system());
        return new IntakeHandler(accept, refusals, new IngestMeters(new SimpleMeterRegistry()), InstantSource.system());
    }

    private static ConsumerRecord<byte[], byte[]> record() {
        return new ConsumerRecord<>("payments.intake.acme", 0, 7L, "key-1".getBytes(StandardCharsets.UTF_8),
                IngestWorld.BODY.getBytes(StandardCharsets.UTF_8));
    }

    private long refused() {
        return database.withConnection(connection -> {
            try (var row = connection.createStatement().executeQuery("SELECT count(*) FROM outbox WHERE topic = 'payments.intake-refused'")) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    @Test
    void a_record_that_alone_runs_into_a_bug_is_refused_in_the_end_and_stands_in_nothings_way() {
        IntakeHandler handler = handler(ask -> Guarded.answer(() -> {
            throw new IllegalStateException("Bug! Planted");
        }));
        int asked = 1;
        while (handler.handle(record()) instanceof Verdict.NotBefore && asked < MORE_THAN_ENOUGH) {
            asked++;
        }
        assertThat(asked).isBetween(2, MORE_THAN_ENOUGH - 1);
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
