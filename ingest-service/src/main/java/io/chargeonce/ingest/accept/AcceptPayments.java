// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Columns;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.Sql;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.Initiator;
import io.chargeonce.payment.PaymentId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Accepts payments: key, operation, audit record and outbox row of each, or nothing of it. At READ COMMITTED the insert
 * that loses a race for a key waits for the winner's commit and then reads the winner's row. A request whose COMMIT got no answer
 * finds its own row when it is repeated, and is a replay. For a coalescer's writers.
 */
final class AcceptPayments implements Coalescer.Batch<AcceptRequest, Acceptance> {

    /** Only a DELETE makes a key's row vanish between insert and read, and even twice in a row is very unlikely. */
    private static final int MOST_ROUNDS = 5;

    private final String topic;
    private final Duration chargeWithin;
    private final KnownPsps known;

    /**
     * @param topic        where accepted payments enter the pipeline
     * @param chargeWithin after this time no new attempt to charge is made
     * @param known        the PSPs that may take a payment
     */
    AcceptPayments(String topic, Duration chargeWithin, KnownPsps known) {
        this.topic = topic;
        this.chargeWithin = chargeWithin;
        this.known = known;
    }

    @Override
    public List<Acceptance> answer(Connection connection, List<AcceptRequest> asks) throws SQLException {
        var answers = new IdentityHashMap<AcceptRequest, Acceptance>();
        answers.putAll(MandateCheck.refused(connection, asks));
        answers.putAll(StoredMethods.refused(connection, asks, known));
        answers.putAll(RoutedRequests.refused(connection, asks, known));
        List<AcceptRequest> open = without(asks, answers);
        for (int round = 1; !open.isEmpty(); round++) {
            if (round > MOST_ROUNDS) {
                throw new IllegalStateException(
                        "Bug! %d idempotency keys can neither be inserted nor read".formatted(open.size()));
            }
            acceptNew(connection, open, answers);
            open = without(open, answers);
            StoredKeys.read(connection, open).forEach(answers::put);
            open = without(open, answers);
        }
        return asks.stream().map(answers::get).toList();
    }

    private void acceptNew(Connection connection, List<AcceptRequest> asks, Map<AcceptRequest, Acceptance> answers) throws SQLException {
        List<AcceptRequest> firsts = firstOfEachKey(asks);
        Map<String, Boolean> fresh = insert(connection, firsts);
        List<AcceptRequest> accepted = firsts.stream().filter(ask -> fresh.getOrDefault(ask.id().value(), false)).toList();
        List<AcceptRequest> again = firsts.stream().filter(ask -> !fresh.getOrDefault(ask.id().value(), true)).toList();
        accepted.forEach(ask -> answers.put(ask, new Acceptance.Accepted()));
        Outbox.stageRequests(connection, topic, accepted.stream().map(ask -> ask.id().value()).toList());
        if (!again.isEmpty()) {
            DuplicateGuard.forget(connection, again);
            answers.putAll(DuplicateGuard.answers(connection, again));
        }
    }

    /** One of each key, in the order of their ids, so that two batches that share keys cannot wait for each other. */
    private static List<AcceptRequest> firstOfEachKey(List<AcceptRequest> asks) {
        var firsts = new TreeMap<PaymentId, AcceptRequest>(Comparator.comparing(PaymentId::value));
        asks.forEach(ask -> firsts.putIfAbsent(ask.id(), ask));
        return List.copyOf(firsts.values());
    }

    private static List<AcceptRequest> without(List<AcceptRequest> asks, Map<AcceptRequest, Acceptance> answered) {
        return asks.stream().filter(ask -> !answered.containsKey(ask)).toList();
    }

    /** {@code IS TRUE} makes each list be hashed: a join of two lists walks one for every row of the other here. */
    private static final String INSERT = """
            WITH ask AS (
                SELECT *
                  FROM unnest(?::text[], ?::text[], ?::text[], ?::bytea[], ?::bigint[], ?::text[], ?::text[],
                              ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[], ?::text[])
                    AS row (payment_id, merchant_id, idempotency_key, fingerprint, amount, currency, payment_method, customer, reference,
                            description, receipt_email, origin, purchase, traceparent, initiator)
            ), fresh AS (
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, resource_id)
                SELECT merchant_id, idempotency_key, fingerprint, %d, '%s', payment_id
                  FROM ask
                ON CONFLICT (merchant_id, idempotency_key) DO NOTHING
                RETURNING resource_id
            ), first AS (
                -- After all keys: two batches cannot wait for each other.
                SELECT payment_id
                  FROM (SELECT array_agg(merchant_id) AS merchants, array_agg(purchase) AS purchases, array_agg(payment_id) AS payments
                          FROM ask JOIN merchant USING (merchant_id)
                         WHERE purchase IS NOT NULL AND duplicate_window_ms > 0
                           AND (payment_id IN (SELECT resource_id FROM fresh)) IS TRUE) AS guarded,
                       take_purchases(merchants, purchases, payments) AS payment_id
            ), accepted AS (
                SELECT ask.*
                  FROM ask LEFT JOIN merchant USING (merchant_id)
                 WHERE (payment_id IN (SELECT resource_id FROM fresh)) IS TRUE
                   AND (purchase IS NULL OR coalesce(duplicate_window_ms, 0) = 0 OR payment_id IN (SELECT payment_id FROM first))
            ), charge AS (
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency,
                       payment_method, customer, reference, description, receipt_email, initiator, traceparent, charge_within_s)
                SELECT payment_id, payment_id, 'charge', merchant_id, idempotency_key, amount, currency, payment_method,
                       customer, reference, description, receipt_email, initiator, traceparent, ?
                  FROM accepted
            ), audit AS (
                -- It is done because the answer asks for it. Nothing personal: the log is never changed.
                SELECT append_audit(array_agg(merchant_id), array_agg('merchant:' || merchant_id), array_agg('payment.accepted'::text),
                                    array_agg('payment'::text), array_agg(payment_id), NULL,
                                    array_agg(json_strip_nulls(json_build_object('amount', amount, 'currency', currency,
                                                  'payment_method', payment_method, 'reference', reference))::text),
                                    array_agg(origin)) AS appended
                  FROM accepted
            )
            SELECT resource_id, resource_id IN (SELECT payment_id FROM accepted), (SELECT appended FROM audit) FROM fresh
            """.formatted(RequestFingerprint.VERSION, Contract.PAYMENTS);

    /** The ids of the payments whose keys are new, and whether each was accepted; otherwise it is a second click. */
    private Map<String, Boolean> insert(Connection connection, List<AcceptRequest> asks) throws SQLException {
        var fresh = new HashMap<String, Boolean>();
        Sql.each(connection, INSERT, row -> fresh.put(row.getString(1), row.getBoolean(2)), Columns.of(asks)
                .with("text", ask -> ask.id().value())
                .with("text", AcceptRequest::merchant)
                .with("text", ask -> ask.key().value())
                .with("bytea", ask -> ask.command().fingerprint())
                .with("int8", ask -> ask.request().money().minorUnits())
                .with("text", ask -> ask.request().money().currency())
                .with("text", ask -> ask.request().paymentMethod())
                .with("text", ask -> ask.request().customer().orElse(null))
                .with("text", ask -> ask.request().reference().orElse(null))
                .with("text", ask -> ask.request().description().orElse(null))
                .with("text", ask -> ask.request().receiptEmail().orElse(null))
                .with("text", AcceptRequest::origin)
                .with("bytea", ask -> ask.guarded().orElse(null))
                .with("text", ask -> ask.traceparent().orElse(null))
                .with("text", ask -> ask.request().initiator().map(Initiator::tag).orElse(null)), chargeWithin.toSeconds());
        return fresh;
    }
}
