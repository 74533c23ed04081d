// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.notifications.SendResult;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpPostTest {

    private static final InstantSource NOW = InstantSource.fixed(Instant.parse("2026-11-24T00:00:00Z"));

    private final Receiver receiver = new Receiver();

    @AfterEach
    void close() {
        receiver.close();
    }

    private SendResult post(Targets targets, String url, Duration timeout) throws Exception {
        try (var http = new HttpPost(targets, timeout, 4, DefaultClientTlsStrategy.createDefault(), NOW)) {
            return http.post(url, Map.of("webhook-id", "msg_1"), "{}");
        }
    }

    private SendResult post(String url) throws Exception {
        return post(new Targets(Set.of("localhost")), url, Duration.ofSeconds(20));
    }

    @Test
    void only_an_answer_that_says_success_is_a_delivery() throws Exception {
        assertThat(post(receiver.url())).isEqualTo(SendResult.delivered(200));
        assertThat(post(receiver.behaves(Receiver.answer(204)).url())).isEqualTo(SendResult.delivered(204));
        assertThat(post(receiver.behaves(Receiver.answer(500)).url()).error()).contains("status_500");
        assertThat(post(receiver.behaves(Receiver.answer(410)).url()).error()).contains("status_410");
    }

    @Test
    void a_redirect_is_not_followed() throws Exception {
        try (var elsewhere = new Receiver()) {
            assertThat(post(receiver.behaves(Receiver.redirect(elsewhere.url())).url()).error()).contains("redirect");
            assertThat(elsewhere.got()).isEmpty();
            assertThat(receiver.got()).hasSize(1);
        }
    }

    @Test
    void a_receiver_that_answers_a_byte_at_a_time_is_given_up() throws Exception {
        var targets = new Targets(Set.of("localhost"));
        assertThat(post(targets, receiver.behaves(Receiver.trickle()).url(), Duration.ofMillis(500)).error()).contains("timed_out");
    }

    @Test
    void a_name_that_was_public_when_it_was_added_and_leads_home_now_gets_nothing() throws Exception {
        int port = Integer.parseInt(receiver.url().replaceAll("\\D", ""));
        var rebinding = new Targets(Set.of(), host -> new InetAddress[] {InetAddress.getLoopbackAddress()});
        assertThat(post(rebinding, "https://hooks.example:" + port + "/", Duration.ofSeconds(5)).error()).contains("address_forbidden");
        assertThat(receiver.got()).isEmpty();
    }

    @Test
    void the_address_that_was_checked_is_the_one_that_is_used() throws Exception {
        var asked = new AtomicInteger();
        // A port that refuses on the first address; a second look-up would lead to the receiver's.
        var targets = new Targets(Set.of("hooks.example"), host -> {
            asked.incrementAndGet();
            return new InetAddress[] {InetAddress.getByName("127.0.0.2")};
        });
        assertThat(post(targets, "https://hooks.example:1/", Duration.ofSeconds(5)).error()).contains("connection_refused");
        assertThat(asked).hasValue(1);
    }

    @Test
    void http_to_another_machine_is_refused_even_if_its_name_is_allowed() throws Exception {
        var targets = new Targets(Set.of("hooks.internal"), host -> new InetAddress[] {InetAddress.getByName("10.0.0.1")});
        assertThat(post(targets, "http://hooks.internal/", Duration.ofSeconds(5)).error()).contains("address_forbidden");
    }
}
