// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.tracing;

import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.SettingsProblems;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.ResourceConfiguration;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.resources.Resource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Makes spans, and sends them by OTLP if OpenTelemetry's own variables ({@code OTEL_…}) name an endpoint or an exporter. Without one there
 * is no thread and no span, but a producer's {@code traceparent} still travels with its payment. Any thread.
 */
public final class Tracing implements AutoCloseable {

    private static final String EXPORTER = "OTEL_TRACES_EXPORTER";
    private static final List<String> SWITCHED_ON_BY =
            List.of("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", EXPORTER);
    /** The services have no other sender than the JDK's, and their metrics are Prometheus's. */
    private static final Map<String, String> DEFAULTS = Map.of("otel.exporter.otlp.protocol", "http/protobuf",
            "otel.metrics.exporter", "none", "otel.logs.exporter", "none");

    private final Tracer tracer;
    private final Runnable close;

    private Tracing(TracerProvider provider, Runnable close) {
        this.tracer = provider.get("chargeonce");
        this.close = close;
    }

    public static Tracing off() {
        return new Tracing(TracerProvider.noop(), () -> {});
    }

    /**
     * @param service     its name, unless a variable gives another
     * @param environment usually {@link System#getenv()}
     * @throws SettingsProblems if a variable has a value that OpenTelemetry refuses
     */
    public static Tracing of(String service, Map<String, String> environment) {
        boolean isOff = SWITCHED_ON_BY.stream().allMatch(name -> environment.getOrDefault(name, "").isBlank())
                || "none".equals(environment.get(EXPORTER)) || "true".equalsIgnoreCase(environment.get("OTEL_SDK_DISABLED"));
        try {
            return isOff ? off() : configured(service, environment);
        } catch (ConfigurationException e) {
            throw new SettingsProblems(List.of("OTEL_…: " + withoutHeaders(reason(e), environment)));
        }
    }

    private static Tracing configured(String service, Map<String, String> environment) {
        Resource own = Resource.create(Attributes.builder().put("service.name", service)
                .put("service.version", Build.CURRENT.version()).build());
        OpenTelemetrySdk sdk = AutoConfiguredOpenTelemetrySdk.builder().disableShutdownHook()
                .addPropertiesSupplier(() -> properties(environment))
                .addResourceCustomizer((usual, config) -> usual.merge(own).merge(ResourceConfiguration.createEnvironmentResource(config)))
                .build().getOpenTelemetrySdk();
        return new Tracing(sdk.getTracerProvider(), sdk::close);
    }

    private static Map<String, String> properties(Map<String, String> environment) {
        var properties = new HashMap<>(DEFAULTS);
        environment.forEach((name, value) -> {
            if (name.startsWith("OTEL_") && !value.isBlank()) {
                properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
            }
        });
        return properties;
    }

    private static String reason(ConfigurationException e) {
        return e.getCause() == null ? e.getMessage() : e.getMessage() + ": " + e.getCause().getMessage();
    }

    /** They may hold a credential. */
    private static String withoutHeaders(String reason, Map<String, String> environment) {
        return environment.entrySet().stream().filter(each -> each.getKey().matches("OTEL_.*_HEADERS") && !each.getValue().isBlank())
                .map(Map.Entry::getValue).reduce(reason, (text, value) -> text.replace(value, "(not shown)"));
    }

    /** Runs the work within a span that is current on this thread. An exception marks the span, by its class name only. */
    public <T> T span(String name, SpanKind kind, Context parent, Supplier<T> work) {
        Span span = tracer.spanBuilder(name).setParent(parent).setSpanKind(kind).startSpan();
        try (Scope ignored = parent.with(span).makeCurrent(); var logged = LoggedSpan.of(span)) {
            return work.get();
        } catch (RuntimeException | Error e) {
            failed(span, e);
            throw e;
        } finally {
            span.end();
        }
    }

    /**
     * Each record's handling is a span, a child of the span in the record's header; log lines carry the payment's id.
     *
     * @param group the consumer group that reads the records
     */
    public RecordHandler around(String group, RecordHandler handler) {
        return new TracedHandler(tracer, group, handler);
    }

    static void failed(Span span, Throwable e) {
        span.setStatus(StatusCode.ERROR, e.getClass().getSimpleName()).setAttribute("error.type", e.getClass().getName());
    }

    /** Sends the remaining spans. */
    @Override
    public void close() {
        close.run();
    }
}
