// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.Rail;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Refuses debits of bank accounts without a valid mandate. A repeat gets its answer also if the mandate was revoked since. */
final class MandateCheck {

    private MandateCheck() {}

    /** The answers to requests that may not be accepted, and were not accepted before. Payments by card cost no statement. */
    static Map<AcceptRequest, Acceptance> refused(Connection connection, List<AcceptRequest> asks) throws SQLException {
        var answers = new IdentityHashMap<AcceptRequest, Acceptance>();
        for (AcceptRequest ask : asks) {
            if (Rail.of(ask.request().paymentMethod()) == Rail.BANK_DEBIT) {
                Optional<Acceptance> refusal = refusal(connection, ask);
                if (refusal.isPresent()) {
                    Map<AcceptRequest, Acceptance> stored = StoredKeys.read(connection, List.of(ask));
                    answers.put(ask, stored.getOrDefault(ask, refusal.get()));
                }
            }
        }
        return answers;
    }

    private static final String DEBITS_BY = "SELECT set_up, known FROM debits_by(?, ?)";

    private static Optional<Acceptance> refusal(Connection connection, AcceptRequest ask) throws SQLException {
        return Sql.one(connection, DEBITS_BY, row -> row.getBoolean("known") ? Optional.empty()
                : Optional.of(row.getBoolean("set_up") ? new Acceptance.NoMandate() : new Acceptance.RailNotSetUp()), ask.merchant(),
                ask.request().paymentMethod());
    }
}
