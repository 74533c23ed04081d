// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.clients.FlakyFront.Fate;
import io.chargeonce.clients.FlakyFront.Got;
import io.chargeonce.database.Migrations;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.ParameterizedTest;
import tools.jackson.databind.JsonNode;

/** A client for another language, at the real service with a network that loses things in between. */
abstract class ClientContract {

    private static final String PAYMENT = "{\"amount\": 1299, \"currency\": \"EUR\", \"payment_method\": \"pm_card_visa\"}";
    private static String database;
    private static Meters meters;
    private static IngestService service;
    private static FlakyFront front;
    private static Language.Running client;

    private final Language language;
    private final String key = "order-" + UUID.randomUUID();

    ClientContract(Language language) {
        this.language = language;
    }

    /** One service, one front and one client for all of a language's tests. */
    @BeforeEach
    void start() throws Exception {
        if (service == null) {
            language.runtime();
            startService();
            front = new FlakyFront(URI.create("http://127.0.0.1:" + service.port()));
            client = language.start(front.address(), "test_acme");
            // A young service on a busy machine answers its first request late, and then the client rightly sends again.
            client.does("{\"do\": \"pay\", \"key\": \"warm-up\", \"body\": %s}".formatted(PAYMENT));
        }
        front.forget();
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            client.close();
            front.close();
            service.close();
            meters.close();
            service = null;
        }
    }

    private static void startService() throws Exception {
        database = TestStack.newDatabase();
        Migrations.apply(database, "postgres", "");
        try (var connection = DriverManager.getConnection(database); var statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO chargeonce.merchant (merchant_id) VALUES ('acme');
                    INSERT INTO chargeonce.merchant_token (token_sha256, merchant_id) VALUES (sha256('test_acme'), 'acme')""");
        }
        String kafka = TestStack.kafka().bootstrapServers();
        var topics = new Topics("clients");
        try (var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            new TopicPlan(topics, 1, Optional.empty()).create(admin);
        }
        meters = Meters.of("ingest-service");
        var pipeline = new PipelineSettings(database, "postgres", "", kafka, Optional.empty(), topics.prefix(),
                List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3)), Optional.empty());
        service = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24)), meters);
    }

    private JsonNode pay() throws IOException {
        return client.does("{\"do\": \"pay\", \"key\": \"%s\", \"body\": %s}".formatted(key, PAYMENT));
    }

    private static Fate answered(int status, String... headers) {
        return new Fate.Answered(status, "", headers.length == 0 ? Map.of() : Map.of(headers[0], headers[1]));
    }

    private static Fate problem(int status, String type) {
        return new Fate.Answered(status, "{\"type\":\"urn:chargeonce:problem:%s\",\"detail\":\"no\"}".formatted(type), Map.of());
    }

    @Test
    void a_payment_method_is_stored_once_found_listed_and_detached() throws IOException {
        String store = """
                {"do": "store", "key": "%1$s", "body": {"customer": "%1$s",
                 "tokens": {"stripe": {"customer": "cus_1", "payment_method": "pm_1"}}}}""".formatted(key).replace("\n", " ");
        front.will(new Fate.AnswerLost());
        JsonNode stored = client.does(store);
        assertThat(stored.path("kind").asString()).isEqualTo("accepted");
        assertThat(stored.path("replay").asBoolean()).isTrue();
        String id = stored.path("id").asString();
        JsonNode found = client.does("{\"do\": \"find_method\", \"method\": \"%s\"}".formatted(id));
        assertThat(found.path("psps").toString()).isEqualTo("[\"stripe\"]");
        assertThat(client.does("{\"do\": \"methods_of\", \"customer\": \"%s\"}".formatted(key))).hasSize(1);
        assertThat(client.does("{\"do\": \"detach\", \"method\": \"%s\"}".formatted(id)).has("detached_at")).isTrue();
        assertThat(client.does("{\"do\": \"methods_of\", \"customer\": \"%s\"}".formatted(key))).isEmpty();
        assertThat(client.does("{\"do\": \"find_method\", \"method\": \"pmt_x\"}").isNull()).isTrue();
    }

    private int payments() throws SQLException {
        try (var connection = DriverManager.getConnection(database); var statement = connection.createStatement();
             var row = statement.executeQuery("SELECT count(*) FROM chargeonce.operation WHERE idempotency_key = '" + key + "'")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void an_accepted_payment_was_sent_once_as_it_is() throws Exception {
        JsonNode sent = pay();

        assertThat(sent.path("kind").asString()).isEqualTo("accepted");
        assertThat(sent.path("id").asString()).startsWith("pay_");
        assertThat(sent.path("status").asString()).isEqualTo("accepted");
        assertThat(sent.path("replay").asBoolean()).isFalse();
        assertThat(front.taken())
                .containsExactly(new Got("/v1/payments", key, "Bearer test_acme", Optional.empty(),
                        PAYMENT.replace(": ", ":").replace(", ", ",")));
    }

    @Test
    void a_payment_that_is_meant_twice_is_sent_without_the_guard_each_time() throws Exception {
        front.will(answered(503, "Retry-After", "0"));
        JsonNode sent = client.does("{\"do\": \"pay\", \"key\": \"%s\", \"body\": %s, \"guard\": false}".formatted(key, PAYMENT));

        assertThat(sent.path("kind").asString()).isEqualTo("accepted");
        assertThat(front.taken()).hasSize(2).extracting(Got::duplicateGuard).containsOnly(Optional.of("off"));
    }

    /** As RFC 9110, 5.6.7, has them. */
    @ParameterizedTest
    @ValueSource(strings = {"EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM ppd HH:mm:ss yyyy"})
    void a_server_may_say_by_a_date_when_to_send_again(String form) throws Exception {
        Instant until = Instant.now().plusSeconds(3).truncatedTo(ChronoUnit.SECONDS);
        front.will(answered(503, "Retry-After", DateTimeFormatter.ofPattern(form, Locale.US).format(until.atOffset(ZoneOffset.UTC))));

        assertThat(pay().path("kind").asString()).isEqualTo("accepted");
        assertThat(Instant.now()).isAfterOrEqualTo(until);
    }

    @Test
    void whatever_gets_lost_there_is_one_payment_under_one_key() throws Exception {
        front.will(new Fate.AnswerLost(), answered(503, "Retry-After", "0"), new Fate.AnswerHangs(), answered(429));
        JsonNode sent = pay();

        assertThat(sent.path("kind").asString()).isEqualTo("accepted");
        assertThat(sent.path("replay").asBoolean()).isTrue();
        assertThat(sent.path("sends").asInt()).isEqualTo(5);
        List<Got> got = front.taken();
        assertThat(got).hasSize(5).containsOnly(got.getFirst());
        assertThat(payments()).isOne();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 401, 403, 404, 413})
    void after_a_sending_without_an_answer_no_other_answer_is_a_refusal(int status) throws Exception {
        front.will(new Fate.AnswerLost(), answered(status, "Location", "http://127.0.0.1:1/"));
        JsonNode sent = pay();

        assertThat(sent.path("kind").asString()).isEqualTo("unknown");
        assertThat(sent.path("lastSeen").asString()).contains("the server answered " + status, "an earlier sending may have been accepted");
        assertThat(front.taken()).hasSize(2);
        assertThat(payments()).as("which it was").isOne();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 400, 401, 404})
    void without_doubt_it_is_a_refusal_and_not_sent_again(int status) throws Exception {
        front.will(answered(429), problem(status, "unauthenticated"));
        JsonNode sent = pay();

        assertThat(sent.path("kind").asString()).as("a 429 comes before anything is tried").isEqualTo("refused");
        assertThat(sent.path("httpStatus").asInt()).isEqualTo(status);
        assertThat(sent.path("type").asString()).isEqualTo("urn:chargeonce:problem:unauthenticated");
        assertThat(front.taken()).hasSize(2);
    }

    @Test
    void a_key_that_holds_another_request_is_a_refusal_in_doubt_too() throws Exception {
        front.will(answered(500), problem(409, "idempotency-key-reused"));
        assertThat(pay().path("kind").asString()).isEqualTo("refused");
    }

    @Test
    void the_wrong_fields_of_a_refused_payment_are_named() throws Exception {
        JsonNode sent = client.does("""
                {"do": "pay", "key": "%s", "body": {"amount": -1, "currency": "EUR", "payment_method": "pm_card_visa"}}""".formatted(key));

        assertThat(sent.path("kind").asString()).isEqualTo("refused");
        assertThat(sent.path("httpStatus").asInt()).isEqualTo(400);
        assertThat(sent.path("errors").path(0).path("field").asString()).isEqualTo("amount");
        assertThat(sent.path("errors").path(0).path("detail").asString()).isNotEmpty();
    }

    @Test
    void what_something_on_the_way_made_up_is_not_believed() throws Exception {
        Fate page = new Fate.Answered(200, "<html>Welcome</html>", Map.of("Content-Type", "text/html"));
        front.will(page, page, page, page, page);
        JsonNode sent = pay();

        assertThat(sent.path("kind").asString()).isEqualTo("unknown");
        assertThat(sent.path("sends").asInt()).isEqualTo(5);
    }

    @Test
    void a_key_that_no_header_can_hold_is_not_sent() throws Exception {
        JsonNode answer = client.does("{\"do\": \"pay\", \"key\": \"schl\u00fcssel\", \"body\": %s}".formatted(PAYMENT));

        assertThat(answer.path("failure").asString()).contains("1 to 255 visible ASCII characters");
        assertThat(front.taken()).isEmpty();
    }

    @Test
    void a_server_that_is_not_there_leaves_no_doubt_and_the_end_open() throws Exception {
        try (Language.Running alone = language.start("http://127.0.0.1:1", "test_acme")) {
            JsonNode sent = alone.does("{\"do\": \"pay\", \"key\": \"%s\", \"body\": %s}".formatted(key, PAYMENT));
            assertThat(sent.path("kind").asString()).isEqualTo("unknown");
            assertThat(sent.path("sends").asInt()).isEqualTo(5);
            assertThat(sent.path("lastSeen").asString()).doesNotContain("may have been accepted");
        }
    }

    @Test
    void a_payment_is_found_by_its_id_and_its_key_however_often_one_must_ask() throws Exception {
        String id = pay().path("id").asString();
        front.will(answered(503), new Fate.AnswerLost());

        assertThat(client.does("{\"do\": \"find\", \"payment\": \"%s\"}".formatted(id)).path("amount").asInt()).isEqualTo(1299);
        assertThat(client.does("{\"do\": \"find_by_key\", \"key\": \"%s\"}".formatted(key)).path("id").asString()).isEqualTo(id);
        assertThat(client.does("{\"do\": \"find\", \"payment\": \"pay_aaaaaaaaaaaaaaaaaaaaaaaaaa\"}").isNull()).isTrue();
        assertThat(client.does("{\"do\": \"find_by_key\", \"key\": \"none\"}").isNull()).isTrue();
        front.will(answered(401));
        assertThat(client.does("{\"do\": \"find\", \"payment\": \"%s\"}".formatted(id)).path("failure").asString())
                .isEqualTo("ReadFailed: the server answered 401");
    }

    @Test
    void a_payment_is_waited_for_until_its_end_or_no_longer() throws Exception {
        String id = pay().path("id").asString();
        String wait = "{\"do\": \"wait\", \"payment\": \"%s\", \"most\": %s}";

        assertThat(client.does(wait.formatted(id, "0.2")).path("status").asString()).isEqualTo("accepted");
        String over = "{\"id\":\"%s\",\"status\":\"succeeded\"}".formatted(id);
        front.will(new Fate.Passed(), new Fate.Answered(200, over, Map.of()));
        assertThat(client.does(wait.formatted(id, "30")).path("status").asString()).isEqualTo("succeeded");
    }

    @Test
    void a_refund_is_named_by_its_payment_and_reference() throws Exception {
        String id = pay().path("id").asString();
        front.taken();
        front.will(new Fate.AnswerLost());
        String refund = "{\"do\": \"refund\", \"payment\": \"%s\", \"body\": {\"amount\": 500, \"reference\": \"line-2\"}}".formatted(id);

        JsonNode sent = client.does(refund);
        assertThat(sent.path("kind").asString()).isEqualTo("accepted");
        assertThat(sent.path("id").asString()).isEqualTo("payment-" + id + "-refund-line-2");
        assertThat(front.taken()).hasSize(2).allSatisfy(got -> assertThat(got.path()).isEqualTo("/v1/payments/" + id + "/refunds"));
    }

    @Test
    void a_cancel_is_repeated_until_it_is_answered_and_ends_the_payment() throws Exception {
        String id = pay().path("id").asString();
        front.taken();
        front.will(new Fate.AnswerLost());
        JsonNode sent = client.does("{\"do\": \"cancel\", \"payment\": \"%s\", \"body\": {\"reason\": \"order cancelled\"}}".formatted(id));
        assertThat(sent.path("kind").asString()).isEqualTo("accepted");
        assertThat(sent.path("status").asString()).isEqualTo("canceled");
        assertThat(sent.path("replay").asBoolean()).isTrue();
        assertThat(front.taken()).hasSize(2).allSatisfy(got -> assertThat(got.path()).isEqualTo("/v1/payments/" + id + "/cancel"));
        assertThat(client.does("{\"do\": \"wait\", \"payment\": \"%s\", \"most\": 30}".formatted(id)).path("status").asString())
                .isEqualTo("canceled");
    }

    private static String line(String key, int amount) {
        return "{\"idempotency_key\":\"%s\",\"amount\":%d,\"currency\":\"EUR\",\"payment_method\":\"pm_card_visa\"}".formatted(key, amount);
    }

    private JsonNode payAll(String... lines) throws IOException {
        return client.does("{\"do\": \"pay_all\", \"body\": [%s]}".formatted(String.join(",", lines)));
    }

    private static List<String> each(JsonNode sent, String field) {
        return sent.valueStream().map(one -> one.path(field).asString()).toList();
    }

    @Test
    void a_line_of_a_batchs_answers_without_a_body_leaves_doubt() throws Exception {
        front.will(new Fate.Answered(200, "{\"line\":1,\"status\":202,\"headers\":{}}\n", Map.of()), problem(401, "unauthenticated"));
        assertThat(each(payAll(line(key, 1299)), "kind")).containsExactly("unknown");
    }

    @Test
    void each_payment_of_a_batch_has_its_own_key_and_answer() throws Exception {
        JsonNode sent = payAll(line(key, 1299), line(key + "-wrong", -1), line(key + "-3", 700));

        assertThat(each(sent, "kind")).containsExactly("accepted", "refused", "accepted");
        assertThat(sent.path(1).path("errors").path(0).path("field").asString()).isEqualTo("amount");
        assertThat(front.taken()).singleElement().satisfies(got -> {
            assertThat(got.path()).isEqualTo("/v1/payments/batch");
            assertThat(got.body()).isEqualTo(line(key, 1299) + "\n" + line(key + "-wrong", -1) + "\n" + line(key + "-3", 700) + "\n");
        });
        assertThat(client.does("{\"do\": \"find_by_key\", \"key\": \"%s-3\"}".formatted(key)).path("id").asString())
                .isEqualTo(sent.path(2).path("id").asString());
    }

    @Test
    void of_a_batch_only_the_payments_without_an_answer_are_sent_again() throws Exception {
        front.will(new Fate.AnswerCut(1), new Fate.AnswerHangs());
        JsonNode sent = payAll(line(key, 1), line(key + "-2", 2), line(key + "-3", 3));

        assertThat(each(sent, "kind")).containsOnly("accepted").hasSize(3);
        assertThat(each(sent, "sends")).containsExactly("1", "3", "3");
        assertThat(each(sent, "replay")).containsExactly("false", "true", "true");
        assertThat(front.taken()).extracting(got -> got.body().lines().count()).containsExactly(3L, 2L, 2L);
        assertThat(payments()).isOne();
    }

    @Test
    void of_a_batch_only_the_payments_whose_answer_may_change_are_sent_again_and_not_before_the_server_wants_it() throws Exception {
        Instant until = Instant.now().plusSeconds(1);
        front.will(new Fate.Answered(200, """
                {"line":1,"status":202,"headers":{},"body":{"id":"pay_1","status":"accepted"}}
                {"line":2,"status":503,"headers":{"Retry-After":"1"},"body":{"type":"urn:chargeonce:problem:unavailable"}}
                {"line":3,"status":429,"headers":{},"body":{"type":"urn:chargeonce:problem:too-many-at-once"}}
                """, Map.of()), new Fate.Answered(200, """
                {"line":1,"status":401,"headers":{},"body":{"type":"urn:chargeonce:problem:token-revoked"}}
                {"line":2,"status":401,"headers":{},"body":{"type":"urn:chargeonce:problem:token-revoked"}}
                """, Map.of()));
        JsonNode sent = payAll(line(key, 1), line(key + "-2", 2), line(key + "-3", 3));

        assertThat(Instant.now()).isAfterOrEqualTo(until);
        assertThat(each(sent, "kind")).as("a 429 comes before anything is tried").containsExactly("accepted", "unknown", "refused");
        assertThat(front.taken()).extracting(Got::body).last()
                .isEqualTo(line(key + "-2", 2) + "\n" + line(key + "-3", 3) + "\n");
    }

    @Test
    void a_batch_that_the_server_does_not_take_is_refused_or_in_doubt_as_one_payment_is() throws Exception {
        front.will(answered(429), problem(403, "scope-missing"));
        assertThat(each(payAll(line(key, 1), line(key + "-2", 2)), "kind")).containsExactly("refused", "refused");
        assertThat(payments()).isZero();

        front.will(new Fate.AnswerLost(), problem(401, "token-revoked"));
        JsonNode sent = payAll(line(key, 1), line(key + "-2", 2));
        assertThat(each(sent, "kind")).containsExactly("unknown", "unknown");
        assertThat(sent.path(0).path("lastSeen").asString()).contains("token-revoked", "an earlier sending may have been accepted");
        assertThat(payments()).as("which it was").isOne();
    }

    @Test
    void lines_that_are_no_answers_of_a_server_are_not_believed() throws Exception {
        String elsewhere = "{\"line\":9,\"status\":202,\"headers\":{},\"body\":{\"id\":\"pay_1\"}}\n";
        front.will(new Fate.Answered(200, "<html>Welcome</html>", Map.of()), new Fate.Answered(200, elsewhere, Map.of()),
                new Fate.Answered(200, "null\n", Map.of()), new Fate.Answered(200, "", Map.of()));
        JsonNode sent = payAll(line(key, 1));

        assertThat(sent.path(0).path("kind").asString()).isEqualTo("accepted");
        assertThat(sent.path(0).path("sends").asInt()).isEqualTo(5);
    }

    @Test
    void a_large_batch_is_sent_a_hundred_payments_at_a_time() throws Exception {
        JsonNode sent = payAll(IntStream.rangeClosed(1, 250).mapToObj(n -> line(key + "-" + n, n)).toArray(String[]::new));

        assertThat(each(sent, "kind")).hasSize(250).containsOnly("accepted");
        assertThat(front.taken()).extracting(got -> got.body().lines().count()).containsExactly(100L, 100L, 50L);
        assertThat(payAll()).isEmpty();
    }

    @Test
    void a_batch_of_payments_that_are_meant_twice_is_sent_without_the_guard() throws Exception {
        client.does("{\"do\": \"pay_all\", \"body\": [%s], \"guard\": false}".formatted(line(key, 1)));
        assertThat(front.taken()).extracting(Got::duplicateGuard).containsExactly(Optional.of("off"));
        assertThat(payAll(line("schl\u00fcssel", 1)).path("failure").asString()).contains("1 to 255 visible ASCII characters");
        assertThat(front.taken()).isEmpty();
    }

    /** As a team that installs the package runs it: the sources are not in reach. */
    @Test
    void the_readmes_example_runs_with_the_package_installed(@TempDir Path folder) throws Exception {
        front.will(new Fate.Passed(), new Fate.Answered(200, "{\"id\":\"pay_1\",\"status\":\"succeeded\"}", Map.of()));
        assertThat(language.installedExample(folder, front.address(), "test_acme")).isEqualTo("succeeded\n");
    }

    @Test
    void the_readmes_example_runs(@TempDir Path folder) throws Exception {
        front.will(new Fate.Passed(), new Fate.Answered(200, "{\"id\":\"pay_1\",\"status\":\"succeeded\"}", Map.of()));
        assertThat(language.example(folder, front.address(), "test_acme")).isEqualTo("succeeded\n");
    }
}
