// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An example of a receiver, under the real service and under those who would deceive it. */
abstract class ReceiverContract {

    static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    static final String SUCCEEDED =
            """
            {"type":"payment.succeeded","timestamp":"2026-11-23T15:00:00.123Z",
             "data":{"payment_id":"pay_1","id":"pay_1","kind":"charge","status":"succeeded",
                     "amount":1299,"currency":"EUR","revision":3}}""";
    static final String KEPT = """
            SELECT coalesce(string_agg(concat_ws(' ', id, kind, status, amount, currency, revision), ', '), '') FROM settled
            """;

    interface Receiver extends AutoCloseable {

        String url();

        /** What it has kept. */
        String kept() throws Exception;

        @Override
        void close() throws Exception;
    }

    /** A database for the receiver's own tables. */
    final String shop = TestStack.newDatabase();
    private final HttpClient http = HttpClient.newHttpClient();
    private Hooks hooks;

    /** Returns when it takes requests. Skips the test if its runtime is not here. */
    abstract Receiver start(int port, List<String> secrets) throws Exception;

    @BeforeEach
    void open() {
        hooks = new Hooks();
    }

    @AfterEach
    void close() throws Exception {
        http.close();
        hooks.close();
    }

    @Test
    void what_the_service_sends_is_kept_and_a_redelivery_changes_nothing() throws Exception {
        int port = freePort();
        var endpoint = hooks.endpoint("acme", "http://localhost:%d/".formatted(port));
        try (var receiver = start(port, List.of(SECRET, endpoint.secret()))) {
            hooks.start(hooks.settings());
            String payment = hooks.settled("acme", "succeeded");
            hooks.publish(payment);
            eventually("delivered 1");
            assertThat(receiver.kept()).isEqualTo(payment + " charge succeeded 1299 EUR 2");
            // As if the answer had never been recorded.
            hooks.execute("UPDATE webhook_delivery SET state = 'waiting', due_at = now(), ended_at = NULL");
            eventually("delivered 2");
            assertThat(receiver.kept()).isEqualTo(payment + " charge succeeded 1299 EUR 2");
        }
    }

    private void eventually(String state) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(hooks.text("SELECT state || ' ' || attempts FROM webhook_delivery")).isEqualTo(state));
    }

    @Test
    void a_forged_an_unsigned_a_late_and_a_replayed_delivery_change_nothing_nor_does_an_older_revision() throws Exception {
        try (var receiver = start(freePort(), List.of(SECRET))) {
            String forged = SUCCEEDED.replace("1299", "9999");
            long now = Instant.now().getEpochSecond();
            String signature = new Webhook(SECRET).sign("msg_1", now, SUCCEEDED);
            assertThat(post(receiver, "msg_1", now, signature, forged)).as("forged").isEqualTo(401);
            assertThat(post(receiver, "msg_2", now, signature, SUCCEEDED)).as("under another id").isEqualTo(401);
            assertThat(post(receiver, "msg_1", now + 1, signature, SUCCEEDED)).as("at another time").isEqualTo(401);
            assertThat(post(receiver, "msg_1", now, "v1,nonsense", SUCCEEDED)).isEqualTo(401);
            assertThat(post(receiver, "msg_1", now, "v1a," + signature.substring(3), SUCCEEDED)).as("of another version").isEqualTo(401);
            assertThat(unsigned(receiver)).isEqualTo(401);
            for (long wrong : new long[] {now - 600, now + 600}) {
                String then = new Webhook(SECRET).sign("msg_1", wrong, SUCCEEDED);
                assertThat(post(receiver, "msg_1", wrong, then, SUCCEEDED)).as("late or early").isEqualTo(401);
            }
            assertThat(receiver.kept()).isEmpty();

            for (int copy = 0; copy < 3; copy++) {
                assertThat(post(receiver, "msg_1", now, signature, SUCCEEDED)).as("recorded and sent again").isEqualTo(200);
                assertThat(receiver.kept()).isEqualTo("pay_1 charge succeeded 1299 EUR 3");
            }
            String older = SUCCEEDED.replace("succeeded", "declined").replace("\"revision\":3", "\"revision\":2");
            assertThat(post(receiver, older)).isEqualTo(200);
            assertThat(receiver.kept()).isEqualTo("pay_1 charge succeeded 1299 EUR 3");
            String test = "{\"type\":\"endpoint.test\",\"timestamp\":\"2026-11-23T15:00:00.123Z\",\"data\":{}}";
            assertThat(post(receiver, test)).isEqualTo(200);
        }
    }

    @Test
    void a_dispute_is_kept_as_it_stands_even_if_its_psp_names_no_amount() throws Exception {
        try (var receiver = start(freePort(), List.of(SECRET))) {
            String opened = """
                    {"type":"dispute.opened","timestamp":"2026-11-23T15:00:00.123Z",
                     "data":{"payment_id":"pay_1","id":"du_1","kind":"dispute","status":"opened","funds":"not_taken","revision":1}}""";
            assertThat(post(receiver, opened)).isEqualTo(200);
            assertThat(receiver.kept()).isEqualTo("du_1 dispute opened 1");
            String lost = opened.replace("opened", "lost").replace("\"revision\":1", "\"amount\":500,\"currency\":\"EUR\",\"revision\":2");
            assertThat(post(receiver, lost)).isEqualTo(200);
            assertThat(receiver.kept()).isEqualTo("du_1 dispute lost 500 EUR 2");
        }
    }

    @Test
    void a_key_that_is_used_again_is_another_payment_in_spite_of_its_lower_revision() throws Exception {
        try (var receiver = start(freePort(), List.of(SECRET))) {
            assertThat(post(receiver, SUCCEEDED)).isEqualTo(200);
            String again = SUCCEEDED.replace("2026-11-23", "2027-01-08").replace("1299", "700").replace("\"revision\":3", "\"revision\":2");
            for (String event : List.of(again, SUCCEEDED)) {
                assertThat(post(receiver, event)).isEqualTo(200);
                assertThat(receiver.kept()).isEqualTo("pay_1 charge succeeded 700 EUR 2");
            }
        }
    }

    private int post(Receiver receiver, String body) throws Exception {
        long now = Instant.now().getEpochSecond();
        return post(receiver, "msg_1", now, new Webhook(SECRET).sign("msg_1", now, body), body);
    }

    final int post(Receiver receiver, String id, long timestamp, String signature, String body) throws Exception {
        return status(HttpRequest.newBuilder(URI.create(receiver.url())).header("webhook-id", id)
                .header("webhook-timestamp", String.valueOf(timestamp)).header("webhook-signature", signature), body);
    }

    private int unsigned(Receiver receiver) throws Exception {
        return status(HttpRequest.newBuilder(URI.create(receiver.url())), SUCCEEDED);
    }

    private int status(HttpRequest.Builder request, String body) throws IOException, InterruptedException {
        return http.send(request.POST(HttpRequest.BodyPublishers.ofString(body)).build(), BodyHandlers.discarding()).statusCode();
    }

    final String keptInShop() throws SQLException {
        try (var connection = DriverManager.getConnection(shop); var statement = connection.createStatement();
             var row = statement.executeQuery(KEPT)) {
            row.next();
            return row.getString(1);
        }
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
