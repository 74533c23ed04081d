// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import java.util.List;

/**
 * Compares the webhooks to merchants with the operations that they are about: each ended operation has a delivery for each endpoint that
 * wants it, and no delivery says what did not happen.
 */
final class WebhookRows {

    private final ShareContents contents;
    private final CheckEvidence evidence;

    WebhookRows(ShareContents contents, CheckEvidence evidence) {
        this.contents = contents;
        this.evidence = evidence;
    }

    /** What was said was true: a decline and a purge until a late success, a purge until a cancel, a success until it failed after all. */
    private static final String FALSE = """
            SELECT coalesce(operation_id, delivery.payment_id) AS id, webhook_id, said ->> 'status' AS told,
                   coalesce(state, 'unknown') AS state
              FROM (SELECT webhook_id, endpoint_id, payment_id, event_type, CAST(body AS json) -> 'data' AS said
                      FROM webhook_delivery WHERE payment_id IS NOT NULL AND NOT starts_with(event_type, 'dispute.')) AS delivery
              JOIN webhook_endpoint AS endpoint USING (endpoint_id)
              LEFT JOIN operation_now ON operation_id = said ->> 'id'
             WHERE (operation_id IS NOT NULL OR EXISTS (SELECT FROM operation AS charge WHERE charge.operation_id = delivery.payment_id))
               AND (operation_id IS NOT NULL AND endpoint.merchant_id = operation_now.merchant_id
                    AND delivery.payment_id = operation_now.payment_id AND said ->> 'amount' = amount::text
                    AND said ->> 'currency' = currency AND said ->> 'kind' = kind
                    AND event_type = CASE kind WHEN 'charge' THEN 'payment' ELSE kind END || '.' || (said ->> 'status')
                    AND (said ->> 'status' = state OR said ->> 'status' IN ('declined', 'purged') AND state IN ('succeeded', 'failed')
                         OR said ->> 'status' = 'purged' AND state = 'canceled'
                         OR said ->> 'status' = 'succeeded' AND state = 'failed')) IS NOT TRUE
            """;

    /**
     * The deliveries are looked up by their payment, however the planner estimates the tables: OFFSET keeps them from being joined.
     * A service that does not run has staged nothing later either; one that has come to rest has staged everything, also for a disabled
     * endpoint. What has ended is forgotten after twenty days at the earliest. The topic keeps its records for 14 days: what a service that
     * stood still for so long has never read is found too.
     */
    private static final String MISSING = """
            SELECT operation_id AS id, endpoint_id, state
              FROM operation_now JOIN webhook_endpoint AS endpoint USING (merchant_id)
             WHERE state IN ('succeeded', 'failed', 'declined', 'purged', 'canceled') AND settled_at >= endpoint.created_at
               AND settled_at > %s - interval '19 days'
               AND disabled_by IS DISTINCT FROM 'removed'
               AND events && ARRAY['*', CASE kind WHEN 'charge' THEN 'payment' ELSE kind END || '.' || state]
               AND (%s OR settled_at + interval '1 minute'
                          < (SELECT max(created_at) FROM webhook_delivery WHERE payment_id IS NOT NULL))
               AND NOT EXISTS (SELECT FROM (SELECT delivery.endpoint_id, CAST(delivery.body AS json) -> 'data' AS said
                                              FROM webhook_delivery AS delivery
                                             WHERE delivery.payment_id = operation_now.payment_id OFFSET 0) AS about_it
                                WHERE about_it.endpoint_id = endpoint.endpoint_id
                                  AND about_it.said ->> 'id' = operation_now.operation_id
                                  AND about_it.said ->> 'status' = operation_now.state)
            """;

    /** Of two webhooks about a dispute the one of the higher revision is the newer: that says what the row says. */
    private static final String FALSE_OF_DISPUTES = """
            SELECT delivery.payment_id AS id, webhook_id, said ->> 'status' AS told, coalesce(stage, 'unknown') AS state
              FROM (SELECT webhook_id, endpoint_id, payment_id, event_type, CAST(body AS json) -> 'data' AS said
                      FROM webhook_delivery WHERE starts_with(event_type, 'dispute.')) AS delivery
              JOIN webhook_endpoint AS endpoint USING (endpoint_id)
              JOIN operation AS charge ON charge.operation_id = delivery.payment_id
              LEFT JOIN dispute AS its ON its.payment_id = delivery.payment_id AND its.reference = said ->> 'id'
             WHERE (endpoint.merchant_id = charge.merchant_id AND event_type = 'dispute.' || (said ->> 'status')
                    AND (CAST(said ->> 'revision' AS int) < its.revision
                         OR CAST(said ->> 'revision' AS int) = its.revision AND said ->> 'status' = stage AND said ->> 'funds' = funds
                            AND said ->> 'amount' IS NOT DISTINCT FROM its.amount::text)) IS NOT TRUE
            """;

    /** As of operations. */
    private static final String MISSING_OF_DISPUTES = """
            SELECT its.payment_id AS id, endpoint_id, stage AS state
              FROM dispute AS its JOIN operation ON operation_id = its.payment_id JOIN webhook_endpoint AS endpoint USING (merchant_id)
             WHERE changed_at >= endpoint.created_at AND changed_at > %s - interval '19 days'
               AND disabled_by IS DISTINCT FROM 'removed' AND events && ARRAY['*', 'dispute.' || stage]
               AND (%s OR changed_at + interval '1 minute'
                          < (SELECT max(created_at) FROM webhook_delivery WHERE payment_id IS NOT NULL))
               AND NOT EXISTS (SELECT FROM webhook_delivery AS delivery
                                WHERE delivery.payment_id = its.payment_id AND delivery.endpoint_id = endpoint.endpoint_id
                                  AND CAST(delivery.body AS json) -> 'data' ->> 'id' = its.reference
                                  AND CAST(CAST(delivery.body AS json) -> 'data' ->> 'revision' AS int) = its.revision)
            """;

    void read(DatabaseRows rows) {
        if (contents.share.isFirst()) {
            boolean allHaveCome = evidence.arrivals().isPresent() && evidence.recovery().isPresent();
            for (String sql : List.of(FALSE, FALSE_OF_DISPUTES)) {
                rows.each(sql, row -> contents.findings.add(Invariant.WEBHOOKS_AGREE, row.getString("id"),
                        "is %s, and webhook %s says %s or another amount, merchant or payment".formatted(row.getString("state"),
                                row.getString("webhook_id"), row.getString("told"))));
            }
            for (String sql : List.of(MISSING, MISSING_OF_DISPUTES)) {
                rows.each(sql.formatted(evidence.now(), allHaveCome), row -> contents.findings.add(Invariant.WEBHOOKS_AGREE,
                        row.getString("id"),
                        "is %s, and endpoint %s has no delivery of that".formatted(row.getString("state"), row.getString("endpoint_id"))));
            }
        }
    }
}
