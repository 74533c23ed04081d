// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.endpoints.ManageEndpoints;
import io.chargeonce.ingest.merchants.Credential;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.reading.ReadPayment;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.ServerRequest;
import java.util.function.BiFunction;

/** The routes by which a merchant manages its webhook endpoints. */
record EndpointRoutes(ManageEndpoints endpoints, ReadPayment read) {

    /** A route that needs a token of the scope. */
    interface WithToken {
        Handler handler(String route, Scope scope, BiFunction<Credential, ServerRequest, Answer> answer);
    }

    /** Refuses the other methods of a path. */
    interface Others {
        Handler refused(String allowed);
    }

    private static final String ALL = ManageEndpoints.PATH;
    private static final String ONE = ALL + "/{id}";
    private static final String DELIVERIES = ONE + "/deliveries";
    private static final String OF_PAYMENT = Contract.PAYMENTS + "/{id}/deliveries";

    void add(HttpRules rules, WithToken token, Others others) {
        rules.get(OF_PAYMENT, token.handler("deliveries", Scope.READ, this::ofPayment));
        rules.any(OF_PAYMENT, others.refused("GET"));
        rules.post(ALL, manage(token, endpoints::add));
        rules.get(ALL, manage(token, (credential, request) -> endpoints.list(credential)));
        rules.any(ALL, others.refused("GET, POST"));
        rules.get(ONE, manage(token, endpoints::read));
        rules.delete(ONE, manage(token, endpoints::remove));
        rules.any(ONE, others.refused("GET, DELETE"));
        post(rules, token, others, ONE + "/rotate", endpoints::rotate);
        post(rules, token, others, ONE + "/test", endpoints::test);
        post(rules, token, others, ONE + "/disable", endpoints::disable);
        post(rules, token, others, ONE + "/enable", endpoints::enable);
        post(rules, token, others, ONE + "/redeliver", endpoints::redeliver);
        post(rules, token, others, DELIVERIES + "/{webhook}/redeliver", endpoints::redeliverOne);
        rules.get(DELIVERIES, manage(token, endpoints::deliveries));
        rules.any(DELIVERIES, others.refused("GET"));
    }

    private static void post(HttpRules rules, WithToken token, Others others, String path,
                             BiFunction<Credential, ServerRequest, Answer> answer) {
        rules.post(path, manage(token, answer));
        rules.any(path, others.refused("POST"));
    }

    private static Handler manage(WithToken token, BiFunction<Credential, ServerRequest, Answer> answer) {
        return token.handler("webhook_endpoints", Scope.WEBHOOKS, answer);
    }

    private Answer ofPayment(Credential credential, ServerRequest request) {
        String payment = request.path().pathParameters().get("id");
        return read.has(credential.merchant().id(), payment) ? endpoints.ofPayment(credential, payment) : Problems.notFound().answer();
    }
}
