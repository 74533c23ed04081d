// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.Initiator;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The operations: what was accepted, in a row that never changes, and the state, in a row of operation_state. The state's row is locked
 * before any row of another table, always in key order.
 */
public final class OperationTable {

    /**
     * @param now  the database's clock, the only one that decides
     * @param rows by operation id, in key order; an id without a row is missing
     */
    public record Locked(Instant now, Map<String, Operation> rows) {}

    /** What was accepted, joined with the state. */
    static final String BOTH = " FROM operation_state JOIN operation USING (operation_id) ";

    private static final String STATE = """
            state, step, generation, counted_attempts, tier, sequence, psp, psp_reference, failure_cause, failure_message, not_before,
            charge_before, staged_at, swept, lease_token, resolve_at, resolve_tries, unresolved_since, settled_at, capture_psp,
            capture_reference, refused_by, awaited, represented, represent_at, cancel_requested_at
            """;

    static final String COLUMNS = """
            operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, payment_method, customer,
            reference, description, receipt_email, initiator, accepted_at, traceparent,""" + " " + STATE;

    private OperationTable() {}

    private static final String LOCK = "SELECT clock_timestamp(), " + COLUMNS + BOTH + """
             WHERE operation_id = ANY (?) ORDER BY operation_id FOR UPDATE OF operation_state
            """;

    public static Locked lock(Connection connection, Collection<String> ids) throws SQLException {
        return readLocked(connection, LOCK, ids.stream().distinct().sorted().toList());
    }

    private static final String LOCK_STATES = "SELECT clock_timestamp(), operation_id, " + STATE + """
             FROM operation_state WHERE operation_id = ANY (?) ORDER BY operation_id FOR UPDATE OF operation_state
            """;

    /**
     * The same for the holders of leases. While a lease holds, what was accepted is neither erased nor forgotten, so it is not read again.
     * Operations whose lease is another's now are read whole.
     *
     * @param leases by token, what was accepted, as read in the transaction that took the lease
     */
    public static Locked lock(Connection connection, Map<UUID, Operation.Accepted> leases) throws SQLException {
        Map<String, Operation.Accepted> known = leases.values().stream()
                .collect(Collectors.toMap(Operation.Accepted::operationId, Function.identity(), (one, other) -> one));
        var locked = readLocked(connection, LOCK_STATES, row -> known.get(row.text()), known.keySet().stream().sorted().toList());
        List<String> others = locked.rows.values().stream()
                .filter(operation -> !operation.accepted().equals(operation.leaseToken.map(leases::get).orElse(null))
                        || !operation.isWatched())
                .map(Operation::id).toList();
        if (!others.isEmpty()) {
            locked.rows.putAll(lock(connection, others).rows);
        }
        return locked;
    }

    private static final String LOCK_FREE = "SELECT clock_timestamp(), " + COLUMNS + BOTH + """
             WHERE operation_id = ANY (?) ORDER BY operation_id FOR UPDATE OF operation_state SKIP LOCKED
            """;

    /** The same, without the rows that other transactions have locked. */
    public static Locked lockFree(Connection connection, Collection<String> ids) throws SQLException {
        return readLocked(connection, LOCK_FREE, ids.stream().distinct().sorted().toList());
    }

    private static final String PSPS_TO_ASK = """
            SELECT psp FROM unnest(?::text[]) AS asked (psp)
             WHERE EXISTS (SELECT FROM waiting WHERE list = 'query' AND lane = asked.psp AND due_at <= statement_timestamp())
            """;

    /** Those of these PSPs at which a status query is due. Mostly there is none, and this takes no transaction. */
    public static Set<String> pspsToAsk(Connection connection, Collection<String> psps) throws SQLException {
        return new HashSet<>(Sql.all(connection, PSPS_TO_ASK, row -> row.getString(1), psps));
    }

    private static final String LOCK_DUE_FOR_STATUS_QUERY = "SELECT clock_timestamp(), " + COLUMNS + BOTH + """
             WHERE operation_id = ANY (ARRAY(SELECT operation_id FROM waiting
                                              WHERE list = 'query' AND lane = ? AND due_at <= statement_timestamp()
                                              ORDER BY due_at LIMIT 1000))
               AND resolve_at <= statement_timestamp()
             ORDER BY resolve_at LIMIT ? FOR UPDATE OF operation_state SKIP LOCKED
            """;

    /**
     * Operations at this PSP whose lease has expired or whose next status query is due. The list is read first, however the planner
     * estimates the tables.
     */
    public static Locked lockDueForStatusQuery(Connection connection, String psp, int limit) throws SQLException {
        return readLocked(connection, LOCK_DUE_FOR_STATUS_QUERY, psp, limit);
    }

    private static final String DUE_FOR_STATUS_QUERY = """
            SELECT operation_id FROM waiting
             WHERE list = 'query' AND lane = ? AND due_at <= statement_timestamp() ORDER BY due_at LIMIT ?
            """;

    /** Their ids, without a lock, including those that cannot be read. */
    public static List<String> dueForStatusQuery(Connection connection, String psp, int limit) throws SQLException {
        return Sql.all(connection, DUE_FOR_STATUS_QUERY, row -> row.getString(1), psp, limit);
    }

    private static final String LOCK_ONE_DUE_FOR_STATUS_QUERY = "SELECT clock_timestamp(), " + COLUMNS + BOTH + """
             WHERE operation_id = ? AND resolve_at <= statement_timestamp() FOR UPDATE OF operation_state SKIP LOCKED
            """;

    /** The same for one operation; empty if it is not due any more, or another process has it. */
    public static Locked lockDueForStatusQuery(Connection connection, String id) throws SQLException {
        return readLocked(connection, LOCK_ONE_DUE_FOR_STATUS_QUERY, id);
    }

    private static final String ASK_LATER = """
            UPDATE operation_state SET resolve_at = clock_timestamp() + ? * interval '1 second'
             WHERE operation_id = ? AND resolve_at <= statement_timestamp()
            """;

    /** For an operation that cannot be read: it is due again later, so that it delays no other. */
    public static void askLater(Connection connection, String id, Duration pause) throws SQLException {
        Sql.update(connection, ASK_LATER, pause.toSeconds(), id);
    }

    private static final String INSERT = """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                                   payment_method, customer, reference, traceparent, charge_within_s)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """;

    /**
     * Accepts a refund or a reversal. Charges are accepted elsewhere, with their idempotency keys.
     *
     * @return false if it was accepted before, and nothing changed
     */
    public static boolean insert(Connection connection, Operation.Accepted accepted, Duration within) throws SQLException {
        PaymentRequest request = accepted.request();
        return Sql.update(connection, INSERT, accepted.operationId(), accepted.payment().value(), accepted.kind().tag(), accepted.ref(),
                accepted.merchant(), accepted.idempotencyKey(), request.money().minorUnits(), request.money().currency(),
                request.paymentMethod(), request.customer(), request.reference(), accepted.traceparent(), within.toSeconds()) == 1;
    }

    private static final String FIND = "SELECT clock_timestamp(), " + COLUMNS + BOTH + "WHERE operation_id = ?";

    /** Reads without a lock: for display, never for a decision. */
    public static Optional<Operation> find(Connection connection, String id) throws SQLException {
        return readLocked(connection, FIND, id).rows().values().stream().findFirst();
    }

    private static final String FIND_OF_MERCHANT = "SELECT clock_timestamp(), " + COLUMNS + " FROM operation_of(?, ?)";

    /** The same for a role that reads only one merchant's operations; also empty for another merchant's operation. */
    public static Optional<Operation> find(Connection connection, String merchant, String id) throws SQLException {
        return readLocked(connection, FIND_OF_MERCHANT, merchant, id).rows().values().stream().findFirst();
    }

    private static final String REFUNDS_OF =
            "SELECT clock_timestamp(), " + COLUMNS + " FROM refunds_of(?, ?) ORDER BY accepted_at, operation_id";

    /** The refunds that a merchant requested for a payment, oldest first; without a lock, for display. */
    public static List<Operation> refundsOf(Connection connection, String merchant, PaymentId payment) throws SQLException {
        return List.copyOf(readLocked(connection, REFUNDS_OF, merchant, payment.value()).rows().values());
    }

    private static final String SAVE = """
            UPDATE operation_state
               SET state = row.state, step = row.step, generation = row.generation, counted_attempts = row.counted_attempts,
                   tier = row.tier, sequence = row.sequence, psp = row.psp, psp_reference = row.psp_reference,
                   failure_cause = row.failure_cause, failure_message = row.failure_message, not_before = row.not_before,
                   charge_before = row.charge_before, staged_at = row.staged_at, swept = row.swept,
                   lease_token = row.lease_token, resolve_at = row.resolve_at, resolve_tries = row.resolve_tries,
                   unresolved_since = row.unresolved_since, settled_at = row.settled_at, refused_by = row.refused_by,
                   awaited = row.awaited, represented = row.represented, represent_at = row.represent_at
              FROM unnest(?::text[], ?::text[], ?::int[], ?::int[], ?::int[], ?::int[], ?::int[], ?::text[], ?::text[],
                          ?::text[], ?::text[], ?::timestamptz[], ?::timestamptz[], ?::timestamptz[], ?::int[], ?::uuid[],
                          ?::timestamptz[], ?::int[], ?::timestamptz[], ?::timestamptz[], ?::text[], ?::text[], ?::int[],
                          ?::timestamptz[])
                AS row (operation_id, state, step, generation, counted_attempts, tier, sequence, psp, psp_reference,
                        failure_cause, failure_message, not_before, charge_before, staged_at, swept, lease_token,
                        resolve_at, resolve_tries, unresolved_since, settled_at, refused_by, awaited, represented, represent_at)
             WHERE operation_state.operation_id = row.operation_id
            """;

    /** The same for the usual path of a payment, which leaves most columns unchanged: half the work for both sides. */
    private static final String SAVE_USUAL = """
            UPDATE operation_state
               SET state = row.state, step = row.step, sequence = row.sequence, psp = row.psp, psp_reference = row.psp_reference,
                   lease_token = row.lease_token, resolve_at = row.resolve_at, settled_at = row.settled_at
              FROM unnest(?::text[], ?::text[], ?::int[], ?::int[], ?::text[], ?::text[], ?::uuid[], ?::timestamptz[],
                          ?::timestamptz[])
                AS row (operation_id, state, step, sequence, psp, psp_reference, lease_token, resolve_at, settled_at)
             WHERE operation_state.operation_id = row.operation_id
            """;

    /** Writes rows that this transaction has locked. */
    public static void save(Connection connection, List<Operation> changed) throws SQLException {
        saveCaptures(connection, changed.stream().filter(operation -> !operation.capture.equals(operation.captureAsRead)).toList());
        Map<Boolean, List<Operation>> usual = changed.stream().collect(Collectors.partitioningBy(
                operation -> operation.seldomChanged().equals(operation.seldomChangedAsRead)));
        saveUsual(connection, usual.get(true));
        saveAll(connection, usual.get(false));
    }

    private static void saveUsual(Connection connection, List<Operation> changed) throws SQLException {
        if (changed.isEmpty()) {
            return;
        }
        mustBe(changed.size(), Sql.update(connection, SAVE_USUAL, Columns.of(changed)
                .with("text", Operation::id)
                .with("text", op -> op.state.tag())
                .with("int4", op -> op.step)
                .with("int4", op -> op.sequence)
                .with("text", op -> op.psp.orElse(null))
                .with("text", op -> op.pspReference.orElse(null))
                .with("uuid", op -> op.leaseToken.orElse(null))
                .with("timestamptz", op -> op.resolveAt.orElse(null))
                .with("timestamptz", op -> op.settledAt.orElse(null))));
    }

    private static void saveAll(Connection connection, List<Operation> changed) throws SQLException {
        if (changed.isEmpty()) {
            return;
        }
        mustBe(changed.size(), Sql.update(connection, SAVE, Columns.of(changed)
                .with("text", Operation::id)
                .with("text", op -> op.state.tag())
                .with("int4", op -> op.step)
                .with("int4", op -> op.generation)
                .with("int4", op -> op.countedAttempts)
                .with("int4", op -> op.tier)
                .with("int4", op -> op.sequence)
                .with("text", op -> op.psp.orElse(null))
                .with("text", op -> op.pspReference.orElse(null))
                .with("text", op -> op.failureCause.orElse(null))
                .with("text", op -> op.failureMessage.orElse(null))
                .with("timestamptz", op -> op.notBefore)
                .with("timestamptz", op -> op.chargeBefore)
                .with("timestamptz", op -> op.stagedAt)
                .with("int4", op -> op.swept)
                .with("uuid", op -> op.leaseToken.orElse(null))
                .with("timestamptz", op -> op.resolveAt.orElse(null))
                .with("int4", op -> op.resolveTries)
                .with("timestamptz", op -> op.unresolvedSince.orElse(null))
                .with("timestamptz", op -> op.settledAt.orElse(null))
                .with("text", op -> op.refusedBy.orElse(null))
                .with("text", op -> op.awaited.orElse(null))
                .with("int4", op -> op.represented)
                .with("timestamptz", op -> op.representAt.orElse(null))));
    }

    /** Separate from the rest, because only roles that make attempts may set where money goes back to. */
    private static final String SAVE_CAPTURE = """
            UPDATE operation_state SET capture_psp = row.capture_psp, capture_reference = row.capture_reference
              FROM unnest(?::text[], ?::text[], ?::text[]) AS row (operation_id, capture_psp, capture_reference)
             WHERE operation_state.operation_id = row.operation_id
            """;

    private static void saveCaptures(Connection connection, List<Operation> found) throws SQLException {
        if (found.isEmpty()) {
            return;
        }
        mustBe(found.size(), Sql.update(connection, SAVE_CAPTURE, Columns.of(found)
                .with("text", Operation::id)
                .with("text", op -> op.capture.map(Capture::psp).orElse(null))
                .with("text", op -> op.capture.map(Capture::reference).orElse(null))));
    }

    private static void mustBe(int changed, int saved) {
        if (saved != changed) {
            throw new IllegalStateException("Bug! Saved %d of %d operations".formatted(saved, changed));
        }
    }

    /** @param sql selects the time and {@link #COLUMNS} */
    static Locked readLocked(Connection connection, String sql, Object... values) throws SQLException {
        return readLocked(connection, sql, OperationTable::accepted, values);
    }

    /** Tells what was accepted, from the columns before {@link #STATE}. */
    @FunctionalInterface
    private interface AcceptedReader {
        Operation.Accepted read(RowReader row) throws SQLException;
    }

    private static Locked readLocked(Connection connection, String sql, AcceptedReader accepted, Object... values) throws SQLException {
        var rows = new LinkedHashMap<String, Operation>();
        List<Instant> times = Sql.all(connection, sql, result -> {
            var row = new RowReader(result);
            Instant now = row.instant();
            Operation operation = read(row, accepted.read(row));
            rows.put(operation.id(), operation);
            return now;
        }, values);
        return new Locked(times.isEmpty() ? Instant.MIN : times.getLast(), rows);
    }

    /** In the order of {@link #STATE}. */
    private static Operation read(RowReader row, Operation.Accepted accepted) throws SQLException {
        var operation = new Operation(accepted);
        operation.state = OperationState.fromTag(row.text());
        operation.step = row.integer();
        operation.generation = row.integer();
        operation.countedAttempts = row.integer();
        operation.tier = row.integer();
        operation.sequence = row.integer();
        operation.psp = row.textIfAny();
        operation.pspReference = row.textIfAny();
        operation.failureCause = row.textIfAny();
        operation.failureMessage = row.textIfAny();
        operation.notBefore = row.instant();
        operation.chargeBefore = row.instant();
        operation.stagedAt = row.instant();
        operation.swept = row.integer();
        operation.leaseToken = row.uuidIfAny();
        operation.resolveAt = row.instantIfAny();
        operation.resolveTries = row.integer();
        operation.unresolvedSince = row.instantIfAny();
        operation.settledAt = row.instantIfAny();
        Optional<String> psp = row.textIfAny();
        Optional<String> reference = row.textIfAny();
        operation.capture = psp.map(where -> new Capture(where, reference.orElseThrow()));
        operation.refusedBy = row.textIfAny();
        operation.awaited = row.textIfAny();
        operation.represented = row.integer();
        operation.representAt = row.instantIfAny();
        operation.cancelRequestedAt = row.instantIfAny();
        operation.seldomChangedAsRead = operation.seldomChanged();
        operation.captureAsRead = operation.capture;
        return operation;
    }

    private static Operation.Accepted accepted(RowReader row) throws SQLException {
        String id = row.text();
        var payment = new PaymentId(row.text());
        OperationKind kind = OperationKind.fromTag(row.text());
        String ref = row.text();
        String merchant = row.text();
        String key = row.text();
        var request = new PaymentRequest(new Money(row.big(), row.text()), row.text(), row.textIfAny(), row.textIfAny(),
                row.textIfAny(), row.textIfAny(), row.textIfAny().flatMap(Initiator::fromTag));
        return new Operation.Accepted(id, payment, kind, ref, merchant, key, request, row.instant(), row.textIfAny());
    }
}
