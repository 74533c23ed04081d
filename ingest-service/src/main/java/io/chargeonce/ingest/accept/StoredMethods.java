// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.PspHealthTable;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.payment.route.Routes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses payments by a stored method that their merchant does not have, or of which no PSP of their routes has a token. A repeat gets its
 * answer also if the method was detached since.
 */
final class StoredMethods {

    private record Method(String customer, Set<String> psps) {}

    private StoredMethods() {}

    /** The answers to requests that may not be accepted, and were not accepted before. Raw tokens cost no statement. */
    static Map<AcceptRequest, Acceptance> refused(Connection connection, List<AcceptRequest> asks, KnownPsps psps) throws SQLException {
        List<AcceptRequest> stored = asks.stream().filter(ask -> PaymentMethodId.isMeantBy(ask.request().paymentMethod())).toList();
        if (stored.isEmpty()) {
            return Map.of();
        }
        Map<String, Method> known = known(connection, stored);
        List<Routes> routes = PspHealthTable.routes(connection);
        var answers = new IdentityHashMap<AcceptRequest, Acceptance>();
        for (AcceptRequest ask : stored) {
            refusal(ask, Optional.ofNullable(known.get(name(ask.merchant(), ask.request().paymentMethod()))), routes, psps)
                    .ifPresent(refusal -> answers.put(ask, refusal));
        }
        answers.putAll(StoredKeys.read(connection, List.copyOf(answers.keySet())));
        return answers;
    }

    private static Optional<Acceptance> refusal(AcceptRequest ask, Optional<Method> found, List<Routes> routes, KnownPsps known) {
        if (found.isEmpty() || ask.request().customer().filter(name -> !name.equals(found.get().customer)).isPresent()) {
            return Optional.of(new Acceptance.NoPaymentMethod());
        }
        Set<String> psps = found.get().psps;
        // While no process charges, the payment waits for one.
        if (routes.isEmpty() || routes.stream().anyMatch(each -> each.leadToAny(ask.merchant(), ask.request(),
                psp -> psps.contains(psp) && known.canSay(psp, ask.request().money())))) {
            return Optional.empty();
        }
        return Optional.of(routes.stream().anyMatch(each -> each.leadToAny(ask.merchant(), ask.request(), psps::contains))
                ? new Acceptance.NotRepresentable(ask.request().money().currency()) : new Acceptance.NoToken());
    }

    /** No merchant has a blank in its name. */
    private static String name(String merchant, String method) {
        return merchant + " " + method;
    }

    private static final String KNOWN = """
            SELECT merchant_id, payment_method_id, customer, psps FROM payment_methods_of(?::text[], ?::text[]) WHERE detached_at IS NULL
            """;

    private static Map<String, Method> known(Connection connection, List<AcceptRequest> asks) throws SQLException {
        var known = new HashMap<String, Method>();
        Sql.each(connection, KNOWN, row -> known.put(name(row.getString(1), row.getString(2)),
                new Method(row.getString(3), Set.of((String[]) row.getArray(4).getArray()))),
                Columns.of(asks).with("text", AcceptRequest::merchant).with("text", ask -> ask.request().paymentMethod()));
        return known;
    }
}
