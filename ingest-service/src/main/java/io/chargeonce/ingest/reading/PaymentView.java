// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A payment as its merchant sees it, from a row of {@link #COLUMNS}. */
final class PaymentView {

    /** Of the payment's charge, which the query calls {@code charge}. */
    static final String COLUMNS = "charge.operation_id, " + PaymentStatus.COLUMNS
            + """
            , charge.currency, charge.payment_method, charge.customer, charge.reference,
                   charge.description, charge.receipt_email, charge.psp_reference, charge.failure_cause, charge.accepted_at, charge.settled_at""";

    private static final String[] AS_SENT = {"payment_method", "customer", "reference", "description", "receipt_email"};

    private PaymentView() {}

    static Map<String, Object> of(ResultSet row) throws SQLException {
        PaymentStatus status = PaymentStatus.of(row);
        var view = new LinkedHashMap<String, Object>();
        view.put("id", row.getString("operation_id"));
        view.put("status", status.tag());
        view.put("amount", row.getLong("amount"));
        view.put("currency", row.getString("currency"));
        for (String column : AS_SENT) {
            view.put(column, row.getString(column));
        }
        view.put("amount_refunded", row.getLong("refunded"));
        view.put("psp_reference", row.getTimestamp("settled_at") == null ? null : row.getString("psp_reference"));
        view.put("decline_code", status == PaymentStatus.DECLINED ? row.getString("failure_cause") : null);
        view.put("accepted_at", time(row.getTimestamp("accepted_at")));
        view.put("settled_at", time(row.getTimestamp("settled_at")));
        view.values().removeIf(Objects::isNull);
        return view;
    }

    static String time(Timestamp timestamp) {
        return timestamp == null ? null : timestamp.toInstant().toString();
    }
}
