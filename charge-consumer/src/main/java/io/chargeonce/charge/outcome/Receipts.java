// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Collects the successes of one batch whose customers get a receipt, and the refunds whose receipt is corrected. For one thread. */
final class Receipts {

    private final Topics topics;
    private final List<Operation> charges = new ArrayList<>();
    private final List<Operation> refunds = new ArrayList<>();

    Receipts(Topics topics) {
        this.topics = topics;
    }

    void add(Operation operation) {
        if (operation.state() != OperationState.SUCCEEDED && operation.state() != OperationState.FAILED) {
            return;
        }
        switch (operation.kind()) {
            case CHARGE -> operation.accepted().request().receiptEmail().filter(address -> !address.equals(PaymentRequest.ERASED))
                    .ifPresent(address -> charges.add(operation));
            case REFUND -> refunds.add(operation);
            // What we captured twice had no receipt, and of a return the payer's bank has told.
            case REVERSAL, RETURN -> {
            }
        }
    }

    /** Only refunds cost a query, because only the charge's row has the address. */
    List<OutboxRow> staged(Connection connection) throws SQLException {
        var rows = new ArrayList<OutboxRow>();
        charges.forEach(charge -> rows.add(Staging.receipt(topics, charge)));
        if (!refunds.isEmpty()) {
            Set<String> withAddress = withAddress(connection);
            refunds.stream().filter(refund -> withAddress.contains(refund.accepted().payment().value()))
                    .forEach(refund -> rows.add(Staging.receipt(topics, refund)));
        }
        return rows;
    }

    private static final String WITH_ADDRESS = """
            SELECT operation_id FROM operation WHERE operation_id = ANY (?) AND receipt_email <> '[erased]'
            """;

    private Set<String> withAddress(Connection connection) throws SQLException {
        return Set.copyOf(Sql.all(connection, WITH_ADDRESS, row -> row.getString(1),
                refunds.stream().map(refund -> refund.accepted().payment().value()).distinct().toList()));
    }
}
