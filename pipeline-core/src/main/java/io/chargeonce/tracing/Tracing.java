// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.tracing;

import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes spans, and sends them by OTLP if an endpoint is set. Without one there is no thread and no span, but a producer's {@code
 * traceparent} still travels with its payment. Any thread.
 */
public final class Tracing implements AutoCloseable {

    public static final Setting<Optional<URI>> ENDPOINT = Setting.uri("CHARGEONCE_OTLP_ENDPOINT",
            "Where traces are sent by OTLP over HTTP, such as http://collector:4318/v1/traces; without it, there are no traces.")
            .optional();
    public static final Setting<Integer> ONE_IN = Setting.integer("CHARGEONCE_TRACE_ONE_IN",
            "One in this many payments without a traceparent is traced; with one, the producer's flag decides.")
            .between("1", "1000000").orElse("1");

    public static final List<Setting<?>> ALL = List.of(ENDPOINT, ONE_IN);

    private final Tracer tracer;
    private final Runnable close;

    private Tracing(TracerProvider provider, Runnable close) {
        this.tracer = provider.get("chargeonce");
        this.close = close;
    }

    public static Tracing off() {
        return new Tracing(TracerProvider.noop(), () -> {});
    }

    public static Tracing of(String service, Settings settings) {
        return settings.get(ENDPOINT).map(endpoint -> to(endpoint, settings.get(ONE_IN), service)).orElseGet(Tracing::off);
    }

    static Tracing to(URI endpoint, int oneIn, String service) {
        var exporter = OtlpHttpSpanExporter.builder().setEndpoint(endpoint.toString()).build();
        var provider = SdkTracerProvider.builder()
                .setResource(Resource.create(Attributes.builder().put("service.name", service)
                        .put("service.version", Build.CURRENT.version()).build()))
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(1.0 / oneIn)))
                .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
                .build();
        return new Tracing(provider, provider::close);
    }

    /** Runs the work within a span that is current on this thread. An exception marks the span, by its class name only. */
    public <T> T span(String name, SpanKind kind, Context parent, Supplier<T> work) {
        Span span = tracer.spanBuilder(name).setParent(parent).setSpanKind(kind).startSpan();
        try (Scope ignored = parent.with(span).makeCurrent()) {
            return work.get();
        } catch (RuntimeException | Error e) {
            span.setStatus(StatusCode.ERROR, e.getClass().getSimpleName());
            throw e;
        } finally {
            span.end();
        }
    }

    /** Each record's handling is a span, a child of the span in the record's header; log lines carry the payment's id. */
    public RecordHandler around(String name, RecordHandler handler) {
        return new TracedHandler(tracer, name, handler);
    }

    /** Sends the remaining spans. */
    @Override
    public void close() {
        close.run();
    }
}
