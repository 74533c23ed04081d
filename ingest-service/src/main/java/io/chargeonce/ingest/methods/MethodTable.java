// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.methods;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.payment.method.PspToken;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The stored payment methods, by functions: the role of this service may not read their tables. */
final class MethodTable {

    private static final String COLUMNS = "payment_method_id, customer, psps, fingerprint, created_at, detached_at";

    private MethodTable() {}

    private static final String STORE = "SELECT store_payment_method(?, ?, ?, ?, ?, ?, ?)";

    /** @return false if there is one of this id already, and nothing changed */
    static boolean store(Connection connection, String merchant, PaymentMethodId id, MethodBody.NewMethod method) throws SQLException {
        return Sql.one(connection, STORE, row -> row.getBoolean(1), merchant, id.value(), method.customer(), method.fingerprint(),
                method.tokens().keySet(), method.tokens().values().stream().map(token -> token.customer().orElseThrow()).toList(),
                method.tokens().values().stream().map(PspToken::method).toList());
    }

    private static final String FIND = "SELECT " + COLUMNS + " FROM payment_methods_of(ARRAY[?], ARRAY[?])";

    static Optional<StoredMethod> find(Connection connection, String merchant, PaymentMethodId id) throws SQLException {
        return Sql.first(connection, FIND, MethodTable::read, merchant, id.value());
    }

    private static final String OF_CUSTOMER = "SELECT " + COLUMNS + " FROM payment_methods_of_customer(?, ?)";

    /** The newest first, without detached ones. */
    static List<StoredMethod> ofCustomer(Connection connection, String merchant, String customer) throws SQLException {
        return Sql.all(connection, OF_CUSTOMER, MethodTable::read, merchant, customer);
    }

    private static final String DETACH = "SELECT detach_payment_method(?, ?)";

    static void detach(Connection connection, String merchant, PaymentMethodId id) throws SQLException {
        Sql.call(connection, DETACH, merchant, id.value());
    }

    private static StoredMethod read(ResultSet row) throws SQLException {
        return new StoredMethod(row.getString(1), row.getString(2), List.of((String[]) row.getArray(3).getArray()), row.getBytes(4),
                Sql.instant(row, 5), Optional.ofNullable(Sql.instant(row, 6)));
    }
}
