// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Stands in for a collector of traces: takes OTLP over HTTP and keeps the spans. Any thread. */
final class Collector implements AutoCloseable {

    private final HttpServer server;
    private final Queue<Span> spans = new ConcurrentLinkedQueue<>();

    private Collector(HttpServer server) {
        this.server = server;
    }

    static Collector start() throws IOException {
        var collector = new Collector(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        collector.server.createContext("/v1/traces", exchange -> {
            try (exchange) {
                ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()).getResourceSpansList()
                        .forEach(resource -> resource.getScopeSpansList().forEach(scope -> collector.spans.addAll(scope.getSpansList())));
                exchange.sendResponseHeaders(200, -1);
            }
        });
        collector.server.start();
        return collector;
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces");
    }

    List<Span> spansOf(String traceId) {
        return spans.stream().filter(span -> hex(span.getTraceId().toByteArray()).equals(traceId)).toList();
    }

    static String hex(byte[] id) {
        return HexFormat.of().formatHex(id);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
