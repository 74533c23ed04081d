// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.ingest.accept.PostPayment;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.answer.ExceptionMapper;
import io.chargeonce.ingest.answer.IngestMeters;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.batch.PostBatch;
import io.chargeonce.ingest.cancel.PostCancel;
import io.chargeonce.ingest.merchants.Credential;
import io.chargeonce.ingest.merchants.FairShares;
import io.chargeonce.ingest.merchants.FrontDoor;
import io.chargeonce.ingest.merchants.Merchant;
import io.chargeonce.ingest.merchants.Scope;
import io.chargeonce.ingest.reading.ListPayments;
import io.chargeonce.ingest.reading.ReadPayment;
import io.chargeonce.ingest.refunds.PostRefund;
import io.chargeonce.http.AnswerSender;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.TraceContext;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.opentelemetry.api.trace.SpanKind;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** The HTTP interface. A 202 is sent only when the payment's transaction is durable. Each request on its own thread. */
final class PaymentsApi implements HttpService {

    private static final HeaderName TRACEPARENT = HeaderNames.create(TraceContext.HEADER);
    private static final String ONE = Contract.PAYMENTS + "/{id}";
    private static final String CANCEL = ONE + "/cancel";
    private static final String REFUNDS = ONE + "/refunds";
    private static final String REFUND = REFUNDS + "/{refund}";
    private static final String DISPUTES = ONE + "/disputes";

    private final FrontDoor frontDoor;
    private final PostPayment post;
    private final PostBatch batch;
    private final PostCancel cancel;
    private final PostRefund refund;
    private final ReadPayment read;
    private final ListPayments list;
    private final MethodRoutes methods;
    private final EndpointRoutes endpoints;
    private final FairShares shares;
    private final AnswerSender exchange;
    private final IngestMeters meters;
    private final Tracing tracing;

    PaymentsApi(FrontDoor frontDoor, PostPayment post, PostBatch batch, PostCancel cancel, PostRefund refund, ReadPayment read,
                ListPayments list, MethodRoutes methods, EndpointRoutes endpoints, FairShares shares, AnswerSender exchange,
                IngestMeters meters, Tracing tracing) {
        this.frontDoor = frontDoor;
        this.post = post;
        this.batch = batch;
        this.cancel = cancel;
        this.refund = refund;
        this.read = read;
        this.list = list;
        this.methods = methods;
        this.endpoints = endpoints;
        this.shares = shares;
        this.exchange = exchange;
        this.meters = meters;
        this.tracing = tracing;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.post(Contract.PAYMENTS, merchants("accept", Scope.PAY, post::answer));
        rules.get(Contract.PAYMENTS,
                merchants("list", Scope.READ, (merchant, request) -> list.read(merchant.id(), request.query().toMap())));
        rules.any(Contract.PAYMENTS, all(request -> Problems.methodNotAllowed("GET, POST").answer()));
        rules.post(PostBatch.PATH, this::postBatch);
        rules.any(PostBatch.PATH, all(request -> Problems.methodNotAllowed("POST").answer()));
        rules.get(ONE, merchants("read", Scope.READ,
                (merchant, request) -> read.read(merchant.id(), request.path().pathParameters().get("id"))));
        rules.post(CANCEL, merchants("cancel", Scope.PAY, cancel::answer));
        rules.any(CANCEL, all(request -> Problems.methodNotAllowed("POST").answer()));
        rules.post(REFUNDS, merchants("refund", Scope.REFUND, refund::answer));
        rules.get(REFUNDS, merchants("read", Scope.READ,
                (merchant, request) -> read.readRefunds(merchant.id(), request.path().pathParameters().get("id"))));
        rules.any(REFUNDS, all(request -> Problems.methodNotAllowed("GET, POST").answer()));
        rules.get(REFUND, merchants("read", Scope.READ, (merchant, request) -> read.readRefund(merchant.id(),
                request.path().pathParameters().get("id"), request.path().pathParameters().get("refund"))));
        rules.get(DISPUTES, merchants("read", Scope.READ,
                (merchant, request) -> read.readDisputes(merchant.id(), request.path().pathParameters().get("id"))));
        rules.any(DISPUTES, all(request -> Problems.methodNotAllowed("GET").answer()));
        rules.any(REFUND, all(request -> Problems.methodNotAllowed("GET").answer()));
        rules.any(ONE, all(request -> Problems.methodNotAllowed("GET").answer()));
        methods.add(rules, this::tokens, allowed -> all(request -> Problems.methodNotAllowed(allowed).answer()));
        endpoints.add(rules, this::tokens, allowed -> all(request -> Problems.methodNotAllowed(allowed).answer()));
        rules.get("/openapi.yaml", all(request -> Documents.OPENAPI.answer()));
        rules.get("/asyncapi.yaml", all(request -> Documents.ASYNCAPI.answer()));
        rules.get(EventSchemas.PATH, all(request -> EventSchemas.list()));
        rules.get(EventSchemas.PATH + "/{file}", all(request -> EventSchemas.find(request.path().pathParameters().get("file"))
                .orElseGet(() -> Problems.notFound().answer())));
        rules.get("/", all(request -> Documents.PAGE.answer()));
        rules.any(all(request -> Problems.notFound().answer()));
    }

    /** A route that needs a token. */
    private Handler merchants(String route, Scope scope, BiFunction<Merchant, ServerRequest, Answer> answer) {
        return tokens(route, scope, (credential, request) -> answer.apply(credential.merchant(), request));
    }

    private Handler tokens(String route, Scope scope, BiFunction<Credential, ServerRequest, Answer> answer) {
        return handle(route, request -> admit(request, scope)
                .answer(credential -> shares.request(credential.merchant(), () -> answer.apply(credential, request))));
    }

    /** A route without a token. */
    private Handler all(Function<ServerRequest, Answer> answer) {
        return handle("other", answer);
    }

    private Handler handle(String route, Function<ServerRequest, Answer> answer) {
        return (request, response) -> exchange.send(request, response,
                traced(route, request, () -> meters.timed(route, () -> ExceptionMapper.answer(() -> answer.apply(request)))));
    }

    /** In a child of the caller's span. Payments carry it on. */
    private <T> T traced(String route, ServerRequest request, Supplier<T> work) {
        return tracing.span(route, SpanKind.SERVER, TraceContext.of(request.headers().first(TRACEPARENT)), work);
    }

    private void postBatch(ServerRequest request, ServerResponse response) {
        switch (ExceptionMapper.checked(() -> admit(request, Scope.PAY))) {
            case Checked.Wrong<Credential> wrong -> refuse(request, response, wrong.problem());
            case Checked.Right<Credential> credential -> {
                switch (PostBatch.guarded(request)) {
                    case Checked.Wrong<Boolean> wrong -> refuse(request, response, wrong.problem());
                    case Checked.Right<Boolean> guarded -> postBatch(credential.value(), guarded.value(), request, response);
                }
            }
        }
    }

    private void postBatch(Credential credential, boolean guarded, ServerRequest request, ServerResponse response) {
        switch (shares.beginBatch(credential.merchant())) {
            case Checked.Wrong<Merchant> wrong -> refuse(request, response, wrong.problem());
            case Checked.Right<Merchant> seated -> {
                try {
                    traced("batch", request, () -> {
                        batch.stream(credential, guarded, request, response);
                        return true;
                    });
                } finally {
                    shares.endBatch(credential.merchant());
                }
            }
        }
    }

    private void refuse(ServerRequest request, ServerResponse response, Problem problem) {
        exchange.send(request, response, meters.timed("batch", problem::answer));
    }

    private Checked<Credential> admit(ServerRequest request, Scope scope) {
        return frontDoor.admit(request.headers().all(HeaderNames.AUTHORIZATION, List::of), scope, PostBatch.client(request));
    }
}
