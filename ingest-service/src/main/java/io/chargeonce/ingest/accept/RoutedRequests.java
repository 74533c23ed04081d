// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ledger.PspHealthTable;
import io.chargeonce.payment.Rail;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.payment.method.PspTokens;
import io.chargeonce.payment.route.Routes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Refuses a payment by a raw token if no PSP of its routes can take its amount or its texts: it could only become a dead letter. The routes
 * are those of the charging processes. A repeat gets its answer also if they, or the PSPs that this process knows, have changed since.
 */
final class RoutedRequests {

    private RoutedRequests() {}

    /** The answers to requests that may not be accepted, and were not accepted before. Most requests fit all PSPs and cost no statement. */
    static Map<AcceptRequest, Acceptance> refused(Connection connection, List<AcceptRequest> asks, KnownPsps known) throws SQLException {
        List<AcceptRequest> unsayable = asks.stream().filter(ask -> !known.anyCanSay(ask.request().money())).toList();
        List<AcceptRequest> doubtful = asks.stream().filter(ask -> Rail.of(ask.request().paymentMethod()) == Rail.CARD
                && !PaymentMethodId.isMeantBy(ask.request().paymentMethod())
                && !known.allCanSay(ask.request().money(), PspTokens.raw(ask.request()))).toList();
        if (doubtful.isEmpty() && unsayable.isEmpty()) {
            return Map.of();
        }
        List<Routes> routes = PspHealthTable.routes(connection);
        // While no process charges, the payment waits for one.
        List<AcceptRequest> refused = doubtful.stream().filter(ask -> !routes.isEmpty())
                .filter(ask -> routes.stream().noneMatch(each -> each.leadToAny(ask.merchant(), ask.request(),
                        psp -> known.canSay(psp, ask.request().money(), PspTokens.raw(ask.request())))))
                .toList();
        var answers = new IdentityHashMap<AcceptRequest, Acceptance>();
        refused.forEach(ask -> answers.put(ask, known.allCanSay(ask.request().money()) ? new Acceptance.TextsNotTaken()
                : new Acceptance.NotRepresentable(ask.request().money().currency())));
        unsayable.forEach(ask -> answers.put(ask, new Acceptance.NotTaken(ask.request().money())));
        answers.putAll(StoredKeys.read(connection, List.copyOf(answers.keySet())));
        return answers;
    }
}
