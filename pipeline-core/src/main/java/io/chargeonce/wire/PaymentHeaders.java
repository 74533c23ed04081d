// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import io.chargeonce.text.Cut;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Record headers: CloudEvents 1.0 in binary mode, and a few of our own. All of them are for people and other consumers; the pipeline
 * decides nothing by a header.
 */
public final class PaymentHeaders {

    /** The installation that says it. Who publishes adds it, so that no row names another one. */
    public static final String SOURCE = "ce_source";
    public static final String TIME = "ce_time";
    public static final String ACCEPTED_AT = "chargeonce-accepted-at";
    /** What a failure is called: the tag of its cause. */
    public static final String FAILURE_CLASS = "chargeonce-failure-class";
    /** On a tombstone of the dead-letter topic. */
    public static final String REVISION = "chargeonce-revision";
    /** On a tombstone: {@code merged}, {@code settled}, {@code purged}, or {@code unknown} where there never was such a dead letter. */
    public static final String LEFT = "chargeonce-left";
    private static final int LONGEST_FAILURE = 200;

    private final Map<String, String> headers = new LinkedHashMap<>();

    private PaymentHeaders() {}

    /**
     * @param type    names the event, and with the version the schema of its data
     * @param version of the data: two versions of one type differ in what an older reader would misread
     * @param id      the same for every copy of the same event, so that a consumer can drop a repeat
     */
    public static PaymentHeaders event(String type, int version, String id, Instant time) {
        var event = new PaymentHeaders();
        event.headers.put("ce_specversion", "1.0");
        event.headers.put("ce_type", "io.chargeonce." + type);
        event.headers.put("ce_id", id);
        event.headers.put(TIME, time.toString());
        event.headers.put("ce_dataschema", "urn:chargeonce:schema:" + type + ":" + version);
        event.headers.put("content-type", "application/json");
        return event;
    }

    /** For an event that is published past the outbox, whose relay adds the source to all others. */
    public PaymentHeaders from(String source) {
        headers.put(SOURCE, source);
        return this;
    }

    /** @param attempt the number of the attempt that comes next, from 1 */
    public PaymentHeaders journey(int step, int attempt, int tier, Instant acceptedAt) {
        headers.put("chargeonce-step", "" + step);
        headers.put("chargeonce-attempt", "" + attempt);
        headers.put("chargeonce-tier", "" + tier);
        headers.put(ACCEPTED_AT, acceptedAt.toString());
        return this;
    }

    /** @param left how the dead letter left the queue */
    public static Map<String, String> tombstone(int revision, String left) {
        return Map.of(REVISION, "" + revision, LEFT, left);
    }

    public PaymentHeaders failure(Instant at, String failureClass, String failure) {
        headers.put("chargeonce-failed-at", at.toString());
        headers.put(FAILURE_CLASS, failureClass);
        headers.put("chargeonce-failure", printable(failure));
        return this;
    }

    public PaymentHeaders traced(Optional<String> traceparent) {
        traceparent.ifPresent(value -> headers.put(TraceContext.HEADER, value));
        return this;
    }

    public Map<String, String> toMap() {
        return Map.copyOf(headers);
    }

    private static String printable(String text) {
        return Cut.to(LONGEST_FAILURE, text.replaceAll("\\p{Cntrl}", " "));
    }
}
