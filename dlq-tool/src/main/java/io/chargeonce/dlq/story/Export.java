// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Parts;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Listing;
import io.chargeonce.dlq.query.Mask;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.payment.method.PaymentMethodId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Exports dead letters with what they hold: a payment's request, or a poison record's bytes. What identifies
 * people and cards is masked unless the caller says otherwise.
 */
public final class Export {

    /** @param payment the request's fields by name; none for poison */
    public record Exported(DeadLetterView letter, Map<String, String> payment, Optional<Story.Source> source) {}

    private final DeadLetterQueue queue;
    private final boolean masked;

    public Export(DeadLetterQueue queue, boolean masked) {
        this.queue = queue;
        this.masked = masked;
    }

    /** The oldest first, in little memory. */
    public void run(DeadLetterFilter filter, Consumer<Exported> out) {
        run(new Listing(queue), filter, Order.OLDEST_FIRST, Long.MAX_VALUE, out);
    }

    public void run(Listing listing, DeadLetterFilter filter, Order order, long limit, Consumer<Exported> out) {
        listing.pages(filter, order, limit, page -> {
            Map<String, Integer> bytes = queue.database().withConnection(connection -> bytes(connection, page));
            for (List<DeadLetterView> part : Parts.of(page, page.size(), letter -> bytes.getOrDefault(letter.id(), 0))) {
                Map<String, Exported> payloads = queue.database().withConnection(connection -> payloads(connection, part));
                part.forEach(letter -> out.accept(payloads.get(letter.id())));
            }
        });
    }

    private static final String BYTES = """
            SELECT dead_letter_id, octet_length(sealed_record) FROM dead_letter
             WHERE dead_letter_id = ANY (?) AND sealed_record IS NOT NULL
            """;

    private static Map<String, Integer> bytes(Connection connection, List<DeadLetterView> page) throws SQLException {
        var bytes = new HashMap<String, Integer>();
        Sql.all(connection, BYTES, row -> bytes.put(row.getString(1), row.getInt(2)), page.stream().map(DeadLetterView::id).toList());
        return bytes;
    }

    private static final String PAYLOADS = """
            SELECT dead_letter_id, source_topic, source_partition, source_offset, sealed_record,
                   operation.payment_id, operation.kind AS operation, operation.idempotency_key, payment_method, customer, reference, \
            description, receipt_email
              FROM dead_letter LEFT JOIN operation USING (operation_id)
             WHERE dead_letter_id = ANY (?)
            """;

    private Map<String, Exported> payloads(Connection connection, List<DeadLetterView> page) throws SQLException {
        var letters = new HashMap<String, DeadLetterView>();
        page.forEach(letter -> letters.put(letter.id(), masked ? letter.masked() : letter));
        return Sql.all(connection, PAYLOADS, row -> new Exported(letters.get(row.getString("dead_letter_id")), payment(row), source(row)),
                letters.keySet()).stream().collect(Collectors.toMap(one -> one.letter.id(), Function.identity()));
    }

    private Map<String, String> payment(ResultSet result) throws SQLException {
        var payment = new LinkedHashMap<String, String>();
        for (String name : List.of("payment_id", "operation", "idempotency_key")) {
            put(payment, result, name, UnaryOperator.identity());
        }
        put(payment, result, "reference", Mask::personal);
        put(payment, result, "payment_method", text -> PaymentMethodId.parse(text).isPresent() ? text : Mask.all(text));
        for (String personal : List.of("customer", "description", "receipt_email")) {
            put(payment, result, personal, Mask::all);
        }
        return payment;
    }

    private void put(Map<String, String> payment, ResultSet result, String column, UnaryOperator<String> mask) throws SQLException {
        String value = result.getString(column);
        if (value != null) {
            payment.put(column, masked ? mask.apply(value) : value);
        }
    }

    private Optional<Story.Source> source(ResultSet result) throws SQLException {
        String topic = result.getString("source_topic");
        if (topic == null) {
            return Optional.empty();
        }
        var source = Story.Source.of(result, queue.vault());
        return Optional.of(masked ? source.masked() : source);
    }
}
