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
                   charge.description, charge.receipt_email, charge.initiator, charge.psp_reference,
                   charge.accepted_at""";

    private static final String FINAL = "A person has ended this payment. It was not charged and will not be charged.";
    private static final String NOT_YET_FINAL =
            "A person has ended this payment. It was not charged, and it will not be charged unless the "
                    + "purge is undone. Do not pay again under another key before the purge is final.";
    private static final String ASKED =
            "A person has ended this payment, and nothing is sent for it any more. An attempt before that may have taken the "
                    + "money, or may still take it. Do not pay again under another key before the purge is final.";

    private static final String[] AS_SENT = {"payment_method", "customer", "reference", "description", "receipt_email", "initiator"};

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
        view.put("purge", status == PaymentStatus.PURGED ? purge(row) : null);
        view.put("cancel", row.getTimestamp("cancel_requested_at") == null ? null : cancel(row, status));
        view.values().removeIf(Objects::isNull);
        return view;
    }

    /** Only a purge that is final promises anything: before that a person can undo it, or an attempt may turn out to have succeeded. */
    private static Map<String, Object> purge(ResultSet row) throws SQLException {
        boolean asked = row.getTimestamp("resolve_at") != null;
        boolean isFinal = row.getTimestamp("settled_at") != null && !asked;
        var purge = new LinkedHashMap<String, Object>();
        purge.put("final", isFinal);
        purge.put("detail", asked ? ASKED : isFinal ? FINAL : NOT_YET_FINAL);
        return purge;
    }

    /** Without an outcome while it is not known whether an attempt took the money. */
    private static Map<String, Object> cancel(ResultSet row, PaymentStatus status) throws SQLException {
        var cancel = new LinkedHashMap<String, Object>();
        cancel.put("requested_at", time(row.getTimestamp("cancel_requested_at")));
        if (status == PaymentStatus.CANCELED) {
            cancel.put("outcome", "canceled");
        } else if (status != PaymentStatus.CANCELING && row.getTimestamp("settled_at") != null) {
            cancel.put("outcome", "cancel_too_late");
        }
        return cancel;
    }

    static String time(Timestamp timestamp) {
        return timestamp == null ? null : timestamp.toInstant().toString();
    }
}
