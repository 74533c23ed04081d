// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.database.Database;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
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

/** Lists the payments that a merchant sent with one reference, the newest first, in pages. Any thread. */
public final class ListPayments {

    private static final int USUAL_PAGE = 20;
    private static final int LARGEST_PAGE = 100;

    private final Database database;

    public ListPayments(Database database) {
        this.database = database;
    }

    private record Asked(String reference, int limit, Optional<Cursor> after) {}

    /** @param parameters as they came in the query */
    public Answer read(String merchant, Map<String, List<String>> parameters) {
        return switch (asked(parameters)) {
            case Checked.Wrong<Asked> wrong -> wrong.problem().answer();
            case Checked.Right<Asked> right -> new Answer(200, ReadPayment.HEADERS, page(merchant, right.value()), "listed");
        };
    }

    private static Checked<Asked> asked(Map<String, List<String>> parameters) {
        Optional<String> reference = one(parameters, "reference");
        Optional<String> limit = one(parameters, "limit");
        Optional<String> cursor = one(parameters, "cursor");
        var errors = new ArrayList<Problem.FieldError>();
        if (reference.filter(text -> !text.isEmpty() && text.length() <= PaymentRequest.LONGEST_TEXT && text.indexOf('\0') < 0).isEmpty()) {
            errors.add(new Problem.FieldError("reference", "is required once: the reference that the payments were sent with"));
        }
        if (isTwice(parameters, "limit") || limit.filter(text -> !text.matches("[1-9]\\d?|100")).isPresent()) {
            errors.add(new Problem.FieldError("limit", "must be one whole number from 1 to %d".formatted(LARGEST_PAGE)));
        }
        if (isTwice(parameters, "cursor") || cursor.isPresent() && cursor.flatMap(Cursor::parse).isEmpty()) {
            errors.add(new Problem.FieldError("cursor", "must be one next_cursor of an earlier page, unchanged"));
        }
        return !errors.isEmpty() ? new Checked.Wrong<>(Problems.badQuery(errors)) : new Checked.Right<>(
                new Asked(reference.orElseThrow(), limit.map(Integer::valueOf).orElse(USUAL_PAGE), cursor.flatMap(Cursor::parse)));
    }

    private static boolean isTwice(Map<String, List<String>> parameters, String name) {
        return parameters.getOrDefault(name, List.of()).size() > 1;
    }

    /** Empty if it was not sent, or not once. */
    private static Optional<String> one(Map<String, List<String>> parameters, String name) {
        List<String> values = parameters.getOrDefault(name, List.of());
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    private byte[] page(String merchant, Asked asked) {
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
    private static List<Map<String, Object>> select(Connection connection, String merchant, Asked asked) throws SQLException {
        try (var statement = connection.prepareStatement(SELECT)) {
            statement.setString(1, merchant);
            statement.setString(2, asked.reference());
            statement.setObject(3, asked.after().map(cursor -> cursor.acceptedAt().atOffset(ZoneOffset.UTC))
                    .orElse(OffsetDateTime.MAX));
            statement.setString(4, asked.after().map(cursor -> cursor.id().value()).orElse(""));
            statement.setInt(5, asked.limit() + 1);
            var payments = new ArrayList<Map<String, Object>>();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    payments.add(PaymentView.of(row));
                }
            }
            return payments;
        }
    }
}
