// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.arrived;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Findings;
import io.chargeonce.checker.finding.Invariant;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Compares the webhooks that came to receivers with the rows of deliveries. For one thread. */
public final class ArrivedWebhooks {

    /** @param subject the payment, or the endpoint of an event that is about none */
    private record Delivery(String endpoint, String body, String state, int attempts, String error, String subject, boolean disabled) {

        static Delivery of(ResultSet row) throws SQLException {
            return new Delivery(row.getString("endpoint_id"), row.getString("body"), row.getString("state"), row.getInt("attempts"),
                    row.getString("last_error"), row.getString("subject"), row.getBoolean("disabled"));
        }
    }

    private final Findings findings;
    private final ArrivalEvidence arrivals;
    private final boolean atRest;
    private final List<ArrivalEvidence.Webhook> before;
    private final Map<String, Delivery> deliveries = new HashMap<>();

    /**
     * Before the rows are read: they know all that has come until now.
     *
     * @param atRest whether nothing may be under way any more
     */
    public ArrivedWebhooks(Findings findings, ArrivalEvidence arrivals, boolean atRest) {
        this.findings = findings;
        this.arrivals = arrivals;
        this.atRest = atRest;
        this.before = List.copyOf(arrivals.webhooks());
    }

    private static final String DELIVERIES = """
            SELECT webhook_id, endpoint_id, body, state, attempts, last_error, coalesce(payment_id, endpoint_id) AS subject,
                   disabled_by IS NOT NULL AS disabled
              FROM webhook_delivery JOIN webhook_endpoint USING (endpoint_id)
            """;

    public void read(DatabaseRows rows) {
        rows.each(DELIVERIES, row -> deliveries.put(row.getString("webhook_id"), Delivery.of(row)));
    }

    /** After the rows were read: what they call delivered has come by now. */
    public void compare() {
        List<ArrivalEvidence.Webhook> came = arrivals.webhooks();
        before.forEach(this::compare);
        var acknowledged = new HashSet<String>();
        came.stream().filter(ArrivalEvidence.Webhook::acknowledged).forEach(webhook -> acknowledged.add(webhook.id()));
        deliveries.forEach((id, delivery) -> compare(id, delivery, acknowledged.contains(id)));
    }

    private void compare(ArrivalEvidence.Webhook came) {
        Delivery delivery = deliveries.get(came.id());
        if (delivery == null) {
            found(came.endpoint(), "got webhook %s, which has no row".formatted(came.id()));
            return;
        }
        if (!delivery.endpoint.equals(came.endpoint())) {
            found(delivery.subject,
                    "webhook %s of endpoint %s came to endpoint %s".formatted(came.id(), delivery.endpoint, came.endpoint()));
        }
        if (!delivery.body.equals(came.body())) {
            found(delivery.subject, "webhook %s came with another body than its row has".formatted(came.id()));
        }
        if (!came.signed()) {
            found(delivery.subject, "webhook %s came without a signature by its endpoint's secret".formatted(came.id()));
        }
    }

    private void compare(String id, Delivery delivery, boolean acknowledged) {
        switch (delivery.state) {
            case "delivered" -> {
                if (!acknowledged) {
                    found(delivery.subject, "webhook %s is called delivered, and its receiver has never said so".formatted(id));
                }
            }
            case "dead" -> {
                if (delivery.attempts < arrivals.tries() && !Objects.equals(delivery.error, "endpoint_disabled")) {
                    found(delivery.subject, "webhook %s is dead after %d of %d tries".formatted(id, delivery.attempts, arrivals.tries()));
                }
            }
            default -> {
                if (atRest && !delivery.disabled) {
                    findings.add(Invariant.ALIVE_AFTER_HEAL, delivery.subject, "webhook %s still waits".formatted(id));
                }
            }
        }
    }

    private void found(String subject, String sentence) {
        findings.add(Invariant.WEBHOOKS_AGREE, subject, sentence);
    }
}
