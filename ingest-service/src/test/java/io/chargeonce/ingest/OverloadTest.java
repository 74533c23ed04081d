// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** More requests than Postgres can take: the excess is refused at once, and accepted payments are neither lost nor doubled. */
class OverloadTest {

    /** Every transaction that accepts payments stands here while there is a row in the table. */
    private static final String GATE = """
            CREATE TABLE gate AS SELECT true AS closed;
            CREATE FUNCTION wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                WHILE EXISTS (SELECT FROM chargeonce.gate) LOOP PERFORM pg_sleep(0.01); END LOOP;
                RETURN NULL;
            END $$;
            CREATE TRIGGER gate BEFORE INSERT ON idempotency_key FOR EACH STATEMENT EXECUTE FUNCTION wait_at_the_gate()
            """;

    private IngestWorld world;

    @BeforeEach
    void start() {
        world = IngestWorld.start();
        world.execute(GATE);
    }

    @AfterEach
    void stop() {
        world.execute("DELETE FROM gate");
        world.close();
    }

    private long atTheGate() {
        return world.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'");
    }

    @Test
    void who_would_wait_too_long_gets_503_at_once_and_every_202_is_a_payment() {
        Map<String, CompletableFuture<HttpResponse<String>>> sent = new LinkedHashMap<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Runnable sendOne = () -> {
                String key = "key-" + UUID.randomUUID();
                sent.put(key, CompletableFuture.supplyAsync(() -> world.pay(key, BODY), threads));
            };
            for (int writers = 1; writers <= 2; writers++) {
                int busy = writers;
                sendOne.run();
                Awaitility.await().until(() -> atTheGate() == busy);
            }
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
                sendOne.run();
                return sent.values().stream().anyMatch(CompletableFuture::isDone);
            });
            assertThat(world.get("/v1/payments/pay_" + "a".repeat(26)).statusCode()).as("a read meanwhile").isEqualTo(404);
            assertThat(world.count("SELECT count(*) FROM operation")).isZero();
            world.execute("DELETE FROM gate");
            List<String> refused =
                    sent.entrySet().stream().filter(one -> one.getValue().join().statusCode() != 202).map(Map.Entry::getKey).toList();

            assertThat(refused).isNotEmpty().allSatisfy(key -> {
                HttpResponse<String> answer = sent.get(key).join();
                assertThat(answer.statusCode()).isEqualTo(503);
                // Postgres has answered no request since it began to wait.
                assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:unavailable");
                assertThat(answer.headers().firstValue("Retry-After")).hasValue("2");
                assertThat(answer.headers().firstValue("Idempotency-Stored")).hasValue("false");
            });
            assertThat(world.count("SELECT count(*) FROM operation")).isEqualTo(sent.size() - refused.size());
            refused.forEach(key -> assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202));
            assertThat(world.count("SELECT count(*) FROM operation")).isEqualTo(sent.size());
        }
    }
}
