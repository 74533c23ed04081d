// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.endpoints.EndpointSecret;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.SendResult;
import io.chargeonce.runtime.Secret;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An endpoint whose secret cannot be opened is named until it has signed, even while others sign. */
class SenderTest {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T15:00:00Z"));
    private final InstantSource clock = now::get;
    @TempDir
    Path directory;
    private HttpPost http;
    private Vault vault;
    private Sender sender;

    @BeforeEach
    void open() throws Exception {
        Path file = directory.resolve("key");
        DataKeys.add(file);
        vault = Vault.of(new Secret(Files.readString(file)));
        http = new HttpPost(new Targets(Set.of("localhost")), Duration.ofSeconds(1), 1, DefaultClientTlsStrategy.createDefault(), clock);
        sender = new Sender(vault, http, clock);
    }

    @AfterEach
    void close() throws Exception {
        http.close();
    }

    private Delivery delivery(String endpoint, String... secrets) {
        return new Delivery("msg_1", endpoint, "http://localhost:1/", "{}", 1, 1,
                List.of(secrets).stream().map(secret -> secret.equals("lost") ? "lost".getBytes(StandardCharsets.UTF_8)
                        : vault.seal(EndpointSecret.placeOf(endpoint), secret.getBytes(StandardCharsets.UTF_8))).toList());
    }

    @Test
    void what_another_endpoint_signs_does_not_hide_it() {
        String secret = EndpointSecret.make();
        assertThat(sender.send(delivery("whe_bad", "lost"))).isEqualTo(SendResult.of(Result.NOT_SENT, "secret_unreadable"));
        assertThat(sender.send(delivery("whe_good", secret))).extracting(SendResult::result).isEqualTo(Result.FAILED);
        assertThat(sender.problem()).hasValueSatisfying(problem -> assertThat(problem).contains("whe_bad"));
        sender.send(delivery("whe_bad", secret, "lost"));
        assertThat(sender.problem()).isPresent();
        sender.send(delivery("whe_bad", secret));
        assertThat(sender.problem()).isEmpty();
    }

    @Test
    void one_that_is_tried_no_more_is_forgotten_and_many_are_counted() {
        IntStream.range(0, 3).forEach(each -> sender.send(delivery("whe_" + each, "lost")));
        assertThat(sender.problem()).hasValueSatisfying(problem -> assertThat(problem).contains("whe_0 (and of 2 others)"));
        now.updateAndGet(at -> at.plus(Duration.ofMinutes(61)));
        sender.send(delivery("whe_2", "lost"));
        assertThat(sender.problem()).hasValueSatisfying(problem -> assertThat(problem).contains("whe_2 cannot"));
    }
}
