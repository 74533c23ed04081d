// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.tracing;

import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.wire.TraceContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.MDC;

/**
 * Wraps the handling of a record in a span with OpenTelemetry's attributes of messaging, and puts its payment's id into the log lines
 * written meanwhile. Any thread.
 */
final class TracedHandler implements RecordHandler {

    /** Also found within a refund's id. Nothing else of a key is shown, because a producer may have written anything. */
    private static final Pattern PAYMENT = Pattern.compile("pay_[a-z2-7]{26}");

    private static final String PAYMENT_ID = "chargeonce.payment";

    private final Tracer tracer;
    private final String group;
    private final RecordHandler handler;

    TracedHandler(Tracer tracer, String group, RecordHandler handler) {
        this.tracer = tracer;
        this.group = group;
        this.handler = handler;
    }

    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception {
        Context parent = TraceContext.of(header(record));
        Optional<String> key = Optional.ofNullable(record.key()).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
        Optional<String> payment = key.flatMap(TracedHandler::payment);
        Span span = tracer.spanBuilder("process " + record.topic()).setParent(parent).setSpanKind(SpanKind.CONSUMER)
                .setAttribute("messaging.system", "kafka")
                .setAttribute("messaging.operation.name", "process").setAttribute("messaging.operation.type", "process")
                .setAttribute("messaging.consumer.group.name", group)
                .setAttribute("messaging.destination.name", record.topic())
                .setAttribute("messaging.destination.partition.id", String.valueOf(record.partition()))
                .setAttribute("messaging.kafka.offset", record.offset()).startSpan();
        payment.ifPresent(id -> span.setAttribute(PAYMENT_ID, id));
        payment.filter(key.orElse("")::equals).ifPresent(id -> span.setAttribute("messaging.kafka.message.key", id));
        try (Scope ignored = parent.with(span).makeCurrent(); var logged = LoggedSpan.of(span);
             var mdc = MDC.putCloseable(PAYMENT_ID, payment.orElse(null))) {
            return handler.handle(record);
        } catch (Exception | Error e) {
            Tracing.failed(span, e);
            throw e;
        } finally {
            span.end();
        }
    }

    @Override
    public String shareOf(ConsumerRecord<byte[], byte[]> record) {
        return handler.shareOf(record);
    }

    @Override
    public Optional<Duration> waitedAgo() {
        return handler.waitedAgo();
    }

    private static Optional<String> header(ConsumerRecord<byte[], byte[]> record) {
        return Optional.ofNullable(record.headers().lastHeader(TraceContext.HEADER))
                .flatMap(header -> Optional.ofNullable(header.value()))
                .map(value -> new String(value, StandardCharsets.UTF_8));
    }

    private static Optional<String> payment(String key) {
        Matcher found = PAYMENT.matcher(key);
        return found.find() ? Optional.of(found.group()) : Optional.empty();
    }
}
