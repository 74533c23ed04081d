// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.PostgresServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A Postgres of its own, for it goes down. */
class PostgresOutageTest {

    private final String key = "key-" + UUID.randomUUID();

    @Test
    void while_postgres_is_away_requests_get_503_and_afterwards_they_are_accepted() {
        try (var postgres = PostgresServer.startTemporary(); var world = IngestWorld.start(postgres.newDatabase())) {
            HttpResponse<String> before = world.pay(key, BODY);

            postgres.stop(PostgresServer.Stop.IMMEDIATE);
            var read = CompletableFuture.supplyAsync(() -> world.get(before.headers().firstValue("Location").orElseThrow()));
            HttpResponse<String> during = world.pay(key + "-2", BODY);
            read.join();
            postgres.startAgain();

            assertThat(during.statusCode()).isEqualTo(503);
            assertThat(type(during)).isEqualTo("urn:chargeonce:problem:unavailable");
            assertThat(during.headers().firstValue("Retry-After")).hasValue("2");
            assertThat(during.headers().firstValue("Idempotency-Stored")).hasValue("unknown");
            assertThat(read.join().statusCode()).isEqualTo(503);
            assertThat(world.meters.registry().get("chargeonce.ingest.requests").tags("route", "accept", "outcome", "unavailable").timer()
                    .count()).as("what the alert IngestUnavailable counts").isEqualTo(1);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> world.pay(key + "-2", BODY).statusCode() == 202);
            assertThat(world.pay(key, BODY).body()).isEqualTo(before.body());
            assertThat(world.count("SELECT count(*) FROM operation")).isEqualTo(2);
        }
    }
}
