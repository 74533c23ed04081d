package io.chargeonce.ingest;

import io.chargeonce.payment.OperationState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A payment as its merchant sees it, from a row of {@link #COLUMNS}. */
final class PaymentView {

    static final String COLUMNS = """
            operation_id, state, generation, sequence, amount, currency, payment_method, customer, reference,
                   description, receipt_email, psp_reference, failure_cause, accepted_at, settled_at""";

    private static final String[] AS_SENT = {"payment_method", "customer", "reference", "description", "receipt_email"};

    private PaymentView() {}

    static Map<String, Object> of(ResultSet row) throws SQLException {
        PaymentStatus status = PaymentStatus.of(
                OperationState.fromTag(row.getString("state")), row.getInt("generation"), row.getInt("sequence"));
        var view = new LinkedHashMap<String, Object>();
        view.put("id", row.getString("operation_id"));
        view.put("status", status.tag());
        view.put("amount", row.getLong("amount"));
        view.put("currency", row.getString("currency"));
        for (String column : AS_SENT) {
            view.put(column, row.getString(column));
        }
        view.put("attempts", row.getInt("sequence"));
        view.put("psp_reference", row.getTimestamp("settled_at") == null ? null : row.getString("psp_reference"));
        view.put("decline_code", status == PaymentStatus.DECLINED ? row.getString("failure_cause") : null);
        view.put("accepted_at", time(row.getTimestamp("accepted_at")));
        view.put("settled_at", time(row.getTimestamp("settled_at")));
        view.values().removeIf(Objects::isNull);
        return view;
    }

    private static String time(Timestamp timestamp) {
        return timestamp == null ? null : timestamp.toInstant().toString();
    }
}
