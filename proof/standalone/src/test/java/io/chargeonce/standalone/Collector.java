// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** Stands in for a collector of traces: takes OTLP over HTTP and keeps the spans. Any thread. */
final class Collector implements AutoCloseable {

    private final HttpServer server;
    private final Queue<Span> spans = new ConcurrentLinkedQueue<>();
    private final Map<String, String> resource = new ConcurrentHashMap<>();
    private final Map<String, String> headers = new ConcurrentHashMap<>();

    private Collector(HttpServer server) {
        this.server = server;
    }

    static Collector start() throws IOException {
        var collector = new Collector(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        collector.server.createContext("/v1/traces", exchange -> {
            try (exchange) {
                exchange.getRequestHeaders()
                        .forEach((name, values) -> collector.headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
                ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()).getResourceSpansList().forEach(resource -> {
                    resource.getScopeSpansList().forEach(scope -> collector.spans.addAll(scope.getSpansList()));
                    collector.resource.putAll(texts(resource.getResource().getAttributesList()));
                });
                exchange.sendResponseHeaders(200, -1);
            }
        });
        collector.server.start();
        return collector;
    }

    /** As in {@code OTEL_EXPORTER_OTLP_ENDPOINT}. */
    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    List<Span> spansOf(String traceId) {
        return spans.stream().filter(span -> hex(span.getTraceId().toByteArray()).equals(traceId)).toList();
    }

    List<Span> spans() {
        return List.copyOf(spans);
    }

    /** What the sender says of itself. */
    Map<String, String> resource() {
        return resource;
    }

    /** Of the last request, in lower case. */
    Map<String, String> headers() {
        return headers;
    }

    static Map<String, String> texts(List<KeyValue> attributes) {
        return attributes.stream().collect(Collectors.toMap(KeyValue::getKey, each -> each.getValue().hasIntValue()
                ? String.valueOf(each.getValue().getIntValue()) : each.getValue().getStringValue()));
    }

    static String hex(byte[] id) {
        return HexFormat.of().formatHex(id);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
