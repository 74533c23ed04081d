// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;

/** Reads the receipts, and compares them with the operations that they are about. It computes their ids itself. For one thread. */
final class ReceiptRows {

    private final ShareContents contents;
    private final CheckEvidence evidence;

    ReceiptRows(ShareContents contents, CheckEvidence evidence) {
        this.contents = contents;
        this.evidence = evidence;
    }

    private static final String REPEATED = """
            SELECT operation_id, count(*) AS receipts FROM receipt GROUP BY operation_id, kind HAVING count(*) > 1
            """;

    /** An id whose address was erased is a random one. A refund that failed after its success may have a receipt of each. */
    private static final String OF_NOTHING = """
            SELECT receipt.operation_id, receipt_id,
                   CASE WHEN coalesce(its.state, '') NOT IN ('succeeded', 'failed') THEN 'which is ' || coalesce(its.state, 'not there')
                        WHEN receipt.kind = 'refund_failed' AND its.state <> 'failed' THEN 'which is ' || its.state
                        WHEN its.kind <> split_part(receipt.kind, '_', 1) OR its.kind NOT IN ('charge', 'refund')
                            THEN 'which is a ' || its.kind
                        WHEN its.payment_id <> receipt.payment_id OR its.merchant_id <> receipt.merchant_id
                            THEN 'which is of another payment or merchant'
                        WHEN charge.receipt_email IS NULL THEN 'whose payment has no address'
                        WHEN charge.receipt_email <> '[erased]' THEN 'under the id of another recipient'
                        ELSE 'and is mailed although its address was erased' END AS trouble
              FROM receipt
              LEFT JOIN operation_now AS its ON its.operation_id = receipt.operation_id
              LEFT JOIN operation AS charge ON charge.operation_id = its.payment_id
             WHERE (CASE receipt.kind WHEN 'refund_failed' THEN its.state = 'failed' AND its.kind = 'refund'
                        ELSE its.state IN ('succeeded', 'failed') AND its.kind = receipt.kind AND its.kind IN ('charge', 'refund') END
                    AND its.payment_id = receipt.payment_id AND its.merchant_id = receipt.merchant_id
                    AND CASE WHEN charge.receipt_email = '[erased]' THEN receipt.state <> 'waiting'
                             ELSE receipt_id = 'rcp_' || left(encode(sha256(convert_to(its.operation_id
                                               || CASE receipt.kind WHEN 'refund_failed' THEN '/failed' ELSE '' END || '/'
                                               || floor(extract(epoch FROM its.accepted_at) / (45 * 86400)) || ' '
                                               || lower(btrim(charge.receipt_email) COLLATE "C"), 'UTF8')), 'hex'), 32) END) IS NOT TRUE
            """;

    /** Ended receipts are kept for twenty days at least. A service that does not run has staged nothing later either. */
    private static final String MISSING = """
            SELECT its.operation_id
              FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
             WHERE (its.state = 'succeeded' AND its.kind IN ('charge', 'refund') OR its.state = 'failed' AND its.kind = 'refund')
               AND charge.receipt_email <> '[erased]'
               AND its.settled_at > greatest(%s - interval '19 days', '%s')
               AND (%s OR its.settled_at + interval '1 minute' < (SELECT max(created_at) FROM receipt))
               -- If CHARGEONCE_RECEIPTS was changed meanwhile, the PSP may have the address and mail the receipt.
               AND NOT EXISTS (SELECT FROM payment_attempt AS attempt
                                WHERE its.kind = 'charge' AND attempt.operation_id = its.operation_id AND attempt.state = 'succeeded'
                                  AND position('receipt_email='::bytea IN request) > 0)
               AND NOT EXISTS (SELECT FROM receipt WHERE receipt.operation_id = its.operation_id
                                  AND receipt.kind = CASE its.state WHEN 'failed' THEN 'refund_failed' ELSE its.kind END)
            """;

    void read(DatabaseRows rows) {
        if (!contents.share.isFirst()) {
            return;
        }
        rows.each(REPEATED, row -> contents.findings.add(Invariant.RECEIPTS_AGREE, row.getString("operation_id"),
                "has %d receipts".formatted(row.getLong("receipts"))));
        rows.each(OF_NOTHING, row -> contents.findings.add(Invariant.RECEIPTS_AGREE, row.getString("operation_id"),
                "receipt %s is about an operation %s".formatted(row.getString("receipt_id"), row.getString("trouble"))));
        evidence.ourReceipts().ifPresent(ours -> rows.each(MISSING.formatted(evidence.now(), ours.since(), ours.allHaveCome()),
                row -> contents.findings.add(Invariant.RECEIPTS_AGREE, row.getString("operation_id"),
                        "succeeded, or failed after that, its payment has an address, and there is no receipt of that")));
    }
}
