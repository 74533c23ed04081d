// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.tracing.Tracing;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonLogTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PAYMENT = "pay_i7goikgmou6tdyabt3xcocqxaa";
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream usual = System.out;

    @BeforeEach
    void listen() {
        System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void leave() {
        System.setOut(usual);
    }

    @Test
    void a_line_is_an_object_that_names_the_payment_and_nothing_else_of_its_record() throws Exception {
        JsonNode line = logged("payments.requests", PAYMENT + "-refund-jane@example.com", "the lease of {} ran out", PAYMENT);
        assertThat(line.get("chargeonce.payment").asString()).isEqualTo(PAYMENT);
        assertThat(line.get("log.level").asString()).isEqualTo("WARN");
        assertThat(line.get("message").asString()).isEqualTo("the lease of " + PAYMENT + " ran out");
        assertThat(line.toString()).doesNotContain("jane@example.com");
        assertThat(line.propertyNames()).containsExactlyInAnyOrder("@timestamp", "log.level", "message", "ecs.version", "service.name",
                "event.dataset", "process.thread.name", "log.logger", "chargeonce.payment", "trace.id", "span.id");
        assertThat(line.get("trace.id").asString()).isEqualTo(TRACE);
    }

    @Test
    void a_producers_own_key_is_not_shown_and_cannot_end_the_line() throws Exception {
        JsonNode line = logged("payments.intake.acme", "4242424242424242", "two\nlines \"of\" {}", "text");
        assertThat(line.toString()).doesNotContain("4242");
        assertThat(line.get("message").asString()).isEqualTo("two\nlines \"of\" text");
    }

    /** JSON is for programs; a line of text is for people. */
    @Test
    void no_foreign_text_turns_a_line_of_text_around() throws Exception {
        var context = context("/logback-service-text.xml");
        context.getLogger("test").warn("order {} of acme", "1\u061c2\u202e3\u20694");
        context.stop();
        assertThat(written.toString(StandardCharsets.UTF_8)).contains("order 1?2?3?4 of acme");
    }

    /** What a handler of this record writes. */
    private JsonNode logged(String topic, String key, String message, Object argument) throws Exception {
        var context = context("/logback-service-json.xml");
        var handler = Tracing.off().around("charge", record -> {
            context.getLogger("test").warn(message, argument);
            return Verdict.done();
        });
        var handled = new ConsumerRecord<>(topic, 0, 7, key.getBytes(StandardCharsets.UTF_8),
                "jane@example.com".getBytes(StandardCharsets.UTF_8));
        handled.headers().add("traceparent", ("00-" + TRACE + "-b7ad6b7169203331-01").getBytes(StandardCharsets.UTF_8));
        handler.handle(handled);
        context.stop();
        return new JsonMapper().readTree(written.toString(StandardCharsets.UTF_8).lines().reduce((one, another) -> {
            throw new AssertionError("more than a line: " + one + another);
        }).orElseThrow());
    }

    private static LoggerContext context(String file) throws JoranException {
        var context = new LoggerContext();
        context.setMDCAdapter((LogbackMDCAdapter) MDC.getMDCAdapter());
        var configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(JsonLogTest.class.getResource(file));
        return context;
    }
}
