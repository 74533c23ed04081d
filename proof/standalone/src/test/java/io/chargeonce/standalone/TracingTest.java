// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Migrate;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.testkit.SandboxMerchants;
import io.chargeonce.tracing.Tracing;
import io.opentelemetry.proto.trace.v1.Span;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A producer's trace goes on through outbox, topics and tiers to the PSP, and out to a collector where one is set. */
@Tag("proof")
class TracingTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String CALLER = "b7ad6b7169203331";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static PipelineSettings pipeline;
    private static StripeSimulator stripe;

    @BeforeAll
    static void start() {
        pipeline = new PipelineSettings(TestStack.newDatabase(), "postgres", "", TestStack.kafka().bootstrapServers(), Optional.empty(),
                "traced", List.of(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(300)), Optional.empty());
        Migrate.schema(pipeline);
        Migrate.topics(pipeline, 1, Optional.of((short) 1));
        SandboxMerchants.create(pipeline);
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        stripe.close();
    }

    @Test
    void a_payments_way_is_one_trace_from_the_producer_through_a_tier_to_the_psp() throws Exception {
        stripe.inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CONFIRM));
        try (var collector = Collector.start()) {
            String payment;
            // Closing it sends what it has.
            try (var tracing = Tracing.of("test", Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint().toString()))) {
                payment = pay(tracing, Optional.of("00-" + TRACE + "-" + CALLER + "-01")).getFirst();
            }
            List<Span> spans = collector.spansOf(TRACE);
            assertThat(spans).extracting(Span::getName).containsOnlyOnce("accept").containsSubsequence("stripe send", "stripe ask",
                    "stripe send");
            Span accept = spans.stream().filter(span -> span.getName().equals("accept")).findFirst().orElseThrow();
            assertThat(Collector.hex(accept.getParentSpanId().toByteArray())).isEqualTo(CALLER);
            assertThat(spans).filteredOn(span -> span.getName().startsWith("process traced.")).hasSizeGreaterThan(1)
                    .allSatisfy(charge -> assertThat(charge.getParentSpanId()).isEqualTo(accept.getSpanId()));
            assertThat(traceparents(payment)).hasSizeGreaterThan(2).containsOnly(
                    "00-" + TRACE + "-" + Collector.hex(accept.getSpanId().toByteArray()) + "-01");
        }
    }

    @Test
    void without_a_collector_a_producers_trace_travels_all_the_same_and_nothing_is_invented() throws Exception {
        String traceparent = "00-" + TRACE + "-" + CALLER + "-01";
        List<String> payments = pay(Tracing.off(), Optional.of(traceparent), Optional.empty(), Optional.of("00-" + TRACE + "-zz-01"));
        assertThat(traceparents(payments.get(0))).hasSize(2).containsOnly(traceparent);
        assertThat(traceparents(payments.get(1))).isEmpty();
        assertThat(traceparents(payments.get(2))).as("of a malformed header").isEmpty();
    }

    /** Accepts payments under this tracing, and returns when they have succeeded and their outcomes are told. */
    @SafeVarargs
    private static List<String> pay(Tracing tracing, Optional<String>... traceparents) throws Exception {
        var charge = new ChargeSettings(pipeline, List.of(new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(),
                Duration.ofSeconds(2))), 100, Duration.ofSeconds(12), Duration.ofSeconds(1), List.of(Duration.ofMillis(300)),
                Duration.ofSeconds(5),
                Optional.empty(), ChargeSettings.Pace.USUAL);
        try (var meters = Meters.of("test");
             var ingest = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24)), meters,
                     tracing);
             var charging = ChargeService.start(charge, meters, tracing);
             var retrying = RetryService.start(charge, meters, tracing);
             var http = HttpClient.newHttpClient()) {
            var payments = new ArrayList<String>();
            for (Optional<String> traceparent : traceparents) {
                HttpResponse<String> answer = http.send(request(ingest.port(), traceparent), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                payments.add(answer.body().replaceAll("(?s).*\"id\"\\s*:\\s*\"([^\"]+)\".*", "$1"));
            }
            Awaitility.await().atMost(PATIENCE)
                    .until(() -> payments.stream().allMatch(payment -> headers("traced.outcomes", payment).size() == 1));
            return payments;
        }
    }

    private static HttpRequest request(int port, Optional<String> traceparent) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/payments"))
                .header("Authorization", "Bearer " + SandboxMerchants.ACME_TOKEN).header("Idempotency-Key", UUID.randomUUID().toString())
                .header("Content-Type", "application/json").header("Prefer", "wait=50")
                .POST(HttpRequest.BodyPublishers
                        .ofString("{\"amount\": 1299, \"currency\": \"EUR\", \"payment_method\": \"pm_card_visa\"}"));
        traceparent.ifPresent(value -> request.header("traceparent", value));
        return request.build();
    }

    /** Of all records about a payment. */
    private static List<String> traceparents(String payment) {
        var found = new ArrayList<String>();
        for (String topic : List.of("traced.requests", "traced.retry-1", "traced.outcomes")) {
            headers(topic, payment).forEach(header -> header.ifPresent(found::add));
        }
        return found;
    }

    private static List<Optional<String>> headers(String topic, String payment) {
        var settings = new Properties();
        settings.put("bootstrap.servers", pipeline.kafka());
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            var found = new ArrayList<Optional<String>>();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> {
                    if (new String(record.key(), StandardCharsets.UTF_8).equals(payment)) {
                        found.add(Optional.ofNullable(record.headers().lastHeader("traceparent"))
                                .map(header -> new String(header.value(), StandardCharsets.UTF_8)));
                    }
                });
            }
            return found;
        }
    }
}
