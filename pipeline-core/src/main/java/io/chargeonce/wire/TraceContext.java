// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Optional;

/** W3C's {@code traceparent} in rows, records and requests. For people; the pipeline decides nothing by it. Any thread. */
public final class TraceContext {

    public static final String HEADER = "traceparent";

    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();
    private static final TextMapGetter<String> ONE_VALUE = new TextMapGetter<>() {
        @Override
        public String get(String value, String name) {
            return HEADER.equals(name) ? value : null;
        }
    };

    private TraceContext() {}

    /** The traceparent of this thread's current span. */
    public static Optional<String> current() {
        var carrier = new HashMap<String, String>();
        W3C.inject(Context.current(), carrier, HashMap::put);
        return Optional.ofNullable(carrier.get(HEADER));
    }

    /** The parent context for spans. A malformed header is ignored, because any client may send one. */
    public static Context of(Optional<String> traceparent) {
        return traceparent.map(value -> W3C.extract(Context.root(), value, ONE_VALUE)).orElse(Context.root());
    }
}
