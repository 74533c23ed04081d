// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import org.slf4j.MDC;

/**
 * The ids of a trace and its span in this thread's log lines, by their names in the Elastic Common Schema. Closing it gives the lines those
 * of the span around it again.
 */
record LoggedSpan(String outerTrace, String outerSpan) implements AutoCloseable {

    private static final String TRACE = "trace.id";
    private static final String SPAN = "span.id";

    static LoggedSpan of(Span span) {
        var outer = new LoggedSpan(MDC.get(TRACE), MDC.get(SPAN));
        SpanContext context = span.getSpanContext();
        if (context.isValid()) {
            MDC.put(TRACE, context.getTraceId());
            MDC.put(SPAN, context.getSpanId());
        }
        return outer;
    }

    @Override
    public void close() {
        if (outerTrace == null) {
            MDC.remove(TRACE);
            MDC.remove(SPAN);
        } else {
            MDC.put(TRACE, outerTrace);
            MDC.put(SPAN, outerSpan);
        }
    }
}
