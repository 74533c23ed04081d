// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.runtime.SettingsProblems;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.TraceContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** OpenTelemetry's own variables decide whether spans are sent, where to, and what they say of their sender. */
class OpenTelemetryVariablesTest {

    private static final String PAYMENT = "pay_i7goikgmou6tdyabt3xcocqxaa";
    private Collector collector;

    @BeforeEach
    void start() throws Exception {
        collector = Collector.start();
    }

    @AfterEach
    void stop() {
        collector.close();
    }

    /** Closing it sends what it has. */
    private Optional<String> traced(Map<String, String> more) {
        var environment = new HashMap<>(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint().toString()));
        environment.putAll(more);
        try (var tracing = Tracing.of("charge-consumer", environment)) {
            return tracing.span("accept", SpanKind.SERVER, Context.root(), TraceContext::current);
        }
    }

    @Test
    void an_endpoint_alone_switches_traces_on() {
        assertThat(traced(Map.of())).isPresent();
        assertThat(collector.spans()).hasSize(1);
        assertThat(collector.resource()).containsEntry("service.name", "charge-consumer").containsKey("service.version");
    }

    @Test
    void name_resource_and_headers_come_from_the_variables() {
        traced(Map.of("OTEL_SERVICE_NAME", "charge-eu", "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test,service.name=other",
                "OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20t0ken"));
        assertThat(collector.resource()).containsEntry("service.name", "charge-eu").containsEntry("deployment.environment.name", "test");
        assertThat(collector.headers()).containsEntry("authorization", "Bearer t0ken");
    }

    @Test
    void a_sampler_may_leave_traces_out_and_the_sdk_may_be_switched_off() {
        traced(Map.of("OTEL_TRACES_SAMPLER", "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0"));
        assertThat(traced(Map.of("OTEL_SDK_DISABLED", "true"))).as("no trace is invented").isEmpty();
        assertThat(traced(Map.of("OTEL_TRACES_EXPORTER", "none"))).isEmpty();
        assertThat(traced(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", ""))).isEmpty();
        assertThat(collector.spans()).isEmpty();
    }

    @Test
    void a_wrong_value_is_reported_and_a_credential_is_not() {
        assertThatThrownBy(() -> traced(Map.of("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"))).isInstanceOf(SettingsProblems.class)
                .hasMessageContaining("otel.exporter.otlp.timeout");
        assertThatThrownBy(() -> traced(Map.of("OTEL_EXPORTER_OTLP_HEADERS", "s3cret"))).isInstanceOf(SettingsProblems.class)
                .hasMessageContaining("otel.exporter.otlp.headers").hasMessageNotContaining("s3cret");
    }

    @Test
    void a_records_span_has_the_attributes_of_messaging_and_no_producers_own_key() throws Exception {
        try (var tracing = Tracing.of("charge-consumer", Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint().toString()))) {
            var handler = tracing.around("payments.requests.charge", record -> {
                assertThat(MDC.get("trace.id")).hasSize(32);
                String outer = MDC.get("span.id");
                assertThat(tracing.span("stripe send", SpanKind.CLIENT, Context.current(), () -> MDC.get("span.id"))).isNotEqualTo(outer);
                assertThat(MDC.get("span.id")).isEqualTo(outer);
                return Verdict.done();
            });
            handler.handle(record("payments.requests", PAYMENT));
            assertThat(MDC.get("trace.id")).isNull();
            handler.handle(record("payments.intake.acme", "jane@example.com"));
        }
        assertThat(collector.spans()).filteredOn(span -> span.getName().equals("process payments.requests")).singleElement()
                .satisfies(span -> assertThat(Collector.texts(span.getAttributesList())).containsAllEntriesOf(Map.of(
                        "messaging.system", "kafka", "messaging.operation.type", "process", "messaging.operation.name", "process",
                        "messaging.destination.name", "payments.requests", "messaging.destination.partition.id", "3",
                        "messaging.kafka.offset", "7", "messaging.kafka.message.key", PAYMENT,
                        "messaging.consumer.group.name", "payments.requests.charge", "chargeonce.payment", PAYMENT)));
        assertThat(collector.spans().toString()).doesNotContain("jane");
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, String key) {
        return new ConsumerRecord<>(topic, 3, 7, key.getBytes(StandardCharsets.UTF_8), new byte[0]);
    }
}
