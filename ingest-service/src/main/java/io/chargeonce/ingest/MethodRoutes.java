// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.http.Answer;
import io.chargeonce.ingest.merchants.Merchant;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.methods.ManageMethods;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.ServerRequest;
import java.util.function.BiFunction;

/** The routes by which a merchant manages its stored payment methods. */
record MethodRoutes(ManageMethods methods) {

    private static final String ROUTE = "payment_methods";
    private static final String ONE = ManageMethods.PATH + "/{id}";

    void add(HttpRules rules, EndpointRoutes.WithToken token, EndpointRoutes.Others others) {
        rules.post(ManageMethods.PATH, handler(token, Scope.PAY, methods::store));
        rules.get(ManageMethods.PATH, handler(token, Scope.READ, methods::list));
        rules.any(ManageMethods.PATH, others.refused("GET, POST"));
        rules.get(ONE, handler(token, Scope.READ, methods::read));
        rules.delete(ONE, handler(token, Scope.PAY, methods::detach));
        rules.any(ONE, others.refused("GET, DELETE"));
    }

    private static Handler handler(EndpointRoutes.WithToken token, Scope scope, BiFunction<Merchant, ServerRequest, Answer> answer) {
        return token.handler(ROUTE, scope, (credential, request) -> answer.apply(credential.merchant(), request));
    }
}
