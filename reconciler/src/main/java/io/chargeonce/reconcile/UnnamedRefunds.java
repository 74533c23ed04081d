// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.PspKey;
import io.chargeonce.reconcile.report.Entry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the attempt of a refund whose line names only the charge, by the PSP's reference of the refund. */
final class UnnamedRefunds {

    private UnnamedRefunds() {}

    private static final String FIND = """
            SELECT place, refund.psp_key
              FROM unnest(?::text[], ?::text[], ?::text[]) WITH ORDINALITY AS line (psp, charge, reference, place)
              JOIN payment_attempt AS charge ON charge.psp_key = line.charge AND charge.psp = line.psp
              CROSS JOIN LATERAL (
                  SELECT psp_key, psp, psp_reference FROM payment_attempt AS half
                   WHERE half.payment_id = charge.payment_id AND half.operation <> 'charge' AND NOT half.failed_definite
                   UNION ALL
                  SELECT psp_key, psp, psp_reference FROM payment_attempt AS half
                   WHERE half.payment_id = charge.payment_id AND half.operation <> 'charge' AND half.failed_definite) AS refund
             WHERE refund.psp = line.psp AND refund.psp_reference = line.reference
            """;

    static Map<Entry.Booked, PspKey> find(Connection connection, List<Entry.Booked> entries) throws SQLException {
        List<Entry.Booked> unnamed = entries.stream()
                .filter(one -> one.line().key().isEmpty() && one.charge().isPresent() && one.line().reference().isPresent()).toList();
        var found = new HashMap<Entry.Booked, PspKey>();
        if (unnamed.isEmpty()) {
            return found;
        }
        var named = Sql.all(connection, FIND, row -> Map.entry(unnamed.get((int) row.getLong(1) - 1), row.getString(2)),
                unnamed.stream().map(one -> one.line().psp()).toList(), unnamed.stream().map(one -> one.charge().get().value()).toList(),
                unnamed.stream().map(one -> one.line().reference().get()).toList());
        named.forEach(one -> PspKey.parse(one.getValue()).ifPresent(key -> found.put(one.getKey(), key)));
        return found;
    }
}
