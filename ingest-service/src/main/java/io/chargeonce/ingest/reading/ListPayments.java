// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.KeyHeader;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.text.Cut;
import io.chargeonce.wire.PaymentJson;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the payments that a merchant sent with one reference, the newest first, in pages; or the payment or refund that it sent under an
 * idempotency key.
 * Any thread.
 */
public final class ListPayments {

    private static final String KEY = "idempotency_key";
    private static final int USUAL_PAGE = 20;
    private static final int LARGEST_PAGE = 100;

    private final Database database;

    public ListPayments(Database database) {
        this.database = database;
    }

    private sealed interface Asked {}

    private record ByReference(String reference, int limit, Optional<Cursor> after) implements Asked {}

    private record ByKey(IdempotencyKey key) implements Asked {}

    /** @param parameters as they came in the query */
    public Answer read(String merchant, Map<String, List<String>> parameters) {
        return asked(parameters).answer(asked -> new Answer(200, ReadPayment.HEADERS, switch (asked) {
            case ByReference reference -> page(merchant, reference);
            case ByKey key -> PaymentJson.write(database.withConnection(connection -> of(connection, merchant, key)));
        }, "listed"));
    }

    private static Checked<Asked> asked(Map<String, List<String>> parameters) {
        return parameters.containsKey(KEY) ? byKey(parameters) : byReference(parameters);
    }

    /** A key that no request can have is refused as it would be there. */
    private static Checked<Asked> byKey(Map<String, List<String>> parameters) {
        if (parameters.size() > 1 || isTwice(parameters, KEY)) {
            return new Checked.Wrong<>(Problems.badQuery(List.of(
                    new Problem.FieldError(KEY, "must be there once, and no other parameter with it: it names one payment"))));
        }
        return switch (KeyHeader.check(parameters.get(KEY).getFirst(), RequestForm.QUERY)) {
            case Checked.Wrong<IdempotencyKey> wrong -> new Checked.Wrong<>(wrong.problem());
            case Checked.Right<IdempotencyKey> right -> new Checked.Right<>(new ByKey(right.value()));
        };
    }

    private static Checked<Asked> byReference(Map<String, List<String>> parameters) {
        Optional<String> reference = one(parameters, "reference");
        Optional<String> limit = one(parameters, "limit");
        Optional<String> cursor = one(parameters, "cursor");
        var errors = new ArrayList<Problem.FieldError>();
        if (reference.filter(text -> !text.isEmpty() && !Cut.isLonger(text, PaymentRequest.LONGEST_TEXT) && text.indexOf('\0') < 0)
                .isEmpty()) {
            errors.add(new Problem.FieldError("reference",
                    "is required once: the reference that the payments were sent with; or ask for one payment by idempotency_key"));
        }
        if (isTwice(parameters, "limit") || limit.filter(text -> !text.matches("[1-9]\\d?|100")).isPresent()) {
            errors.add(new Problem.FieldError("limit", "must be one whole number from 1 to %d".formatted(LARGEST_PAGE)));
        }
        if (isTwice(parameters, "cursor") || cursor.isPresent() && cursor.flatMap(Cursor::parse).isEmpty()) {
            errors.add(new Problem.FieldError("cursor", "must be one next_cursor of an earlier page, unchanged"));
        }
        return !errors.isEmpty() ? new Checked.Wrong<>(Problems.badQuery(errors)) : new Checked.Right<>(
                new ByReference(reference.orElseThrow(), limit.map(Integer::valueOf).orElse(USUAL_PAGE), cursor.flatMap(Cursor::parse)));
    }

    private static boolean isTwice(Map<String, List<String>> parameters, String name) {
        return parameters.getOrDefault(name, List.of()).size() > 1;
    }

    /** Empty if it was not sent, or not once. */
    private static Optional<String> one(Map<String, List<String>> parameters, String name) {
        List<String> values = parameters.getOrDefault(name, List.of());
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    private byte[] page(String merchant, ByReference asked) {
        List<Map<String, Object>> found = database.withConnection(connection -> select(connection, merchant, asked));
        boolean more = found.size() > asked.limit();
        List<Map<String, Object>> page = more ? found.subList(0, asked.limit()) : found;
        var body = new LinkedHashMap<String, Object>();
        body.put("data", page);
        if (more) {
            body.put("next_cursor", behind(page.getLast()).toString());
        }
        return PaymentJson.write(body);
    }

    private static Cursor behind(Map<String, Object> payment) {
        return new Cursor(Instant.parse((String) payment.get("accepted_at")), new PaymentId((String) payment.get("id")));
    }

    private static final String SELECT = """
            SELECT %s
              FROM payments_with_reference(?, ?, ?::timestamptz, ?, ?) AS charge
             ORDER BY accepted_at DESC, operation_id DESC
            """.formatted(PaymentView.COLUMNS);

    /** One more than the page holds, to know whether there are more. */
    private static List<Map<String, Object>> select(Connection connection, String merchant, ByReference asked) throws SQLException {
        return Sql.all(connection, SELECT, PaymentView::of, merchant, asked.reference(),
                asked.after().map(cursor -> cursor.acceptedAt().atOffset(ZoneOffset.UTC)).orElse(OffsetDateTime.MAX),
                asked.after().map(cursor -> cursor.id().value()).orElse(""), asked.limit() + 1);
    }

    /** Payments and refunds share one namespace of keys. */
    private static Map<String, Object> of(Connection connection, String merchant, ByKey asked) throws SQLException {
        var body = new LinkedHashMap<String, Object>();
        List<Map<String, Object>> payments = select(connection, merchant, asked);
        body.put("data", payments);
        if (payments.isEmpty()) {
            refund(connection, merchant, asked).ifPresent(refund -> body.put("refund", RefundJson.now(refund)));
        }
        return body;
    }

    private static final String RESOURCE = "SELECT resource_id FROM keys_taken(ARRAY[?], ARRAY[?])";

    private static Optional<Operation> refund(Connection connection, String merchant, ByKey asked) throws SQLException {
        Optional<String> resource = Sql.first(connection, RESOURCE, row -> row.getString(1), merchant, asked.key().value());
        return resource.isPresent() ? OperationTable.find(connection, merchant, resource.get()) : Optional.empty();
    }

    private static final String SELECT_BY_KEY = """
            SELECT %s
              FROM operation_of(?, ?) AS charge
            """.formatted(PaymentView.COLUMNS);

    /** A payment's id follows from its merchant and its key. */
    private static List<Map<String, Object>> select(Connection connection, String merchant, ByKey asked) throws SQLException {
        return Sql.first(connection, SELECT_BY_KEY, PaymentView::of, merchant, PaymentId.derive(merchant, asked.key()).value())
                .stream().toList();
    }
}
