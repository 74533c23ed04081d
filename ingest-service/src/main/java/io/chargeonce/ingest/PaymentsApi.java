package io.chargeonce.ingest;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The HTTP interface. A 202 is sent only when the payment's transaction is durable. Each request on its own thread. */
final class PaymentsApi implements HttpService {

    private static final HeaderName IDEMPOTENCY_KEY = HeaderNames.create("Idempotency-Key");
    private static final String ONE = Command.PATH + "/{id}";

    private final Merchants merchants;
    private final RequestBody body;
    private final Function<Ask, Answer> accept;
    private final PostBatch batch;
    private final ReadPayment readPayment;
    private final Exchange exchange;
    private final IngestMeters meters;
    private final InstantSource clock;

    PaymentsApi(Merchants merchants, RequestBody body, Function<Ask, Answer> accept, PostBatch batch, ReadPayment readPayment,
                Exchange exchange, IngestMeters meters, InstantSource clock) {
        this.merchants = merchants;
        this.body = body;
        this.accept = accept;
        this.batch = batch;
        this.readPayment = readPayment;
        this.exchange = exchange;
        this.meters = meters;
        this.clock = clock;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.post(Command.PATH, handle("accept", this::post));
        rules.post(PostBatch.PATH, this::postBatch);
        rules.any(PostBatch.PATH, handle("other", request -> Problems.methodNotAllowed("POST").answer()));
        rules.get(ONE, handle("read", this::get));
        rules.any(Command.PATH, handle("other", request -> Problems.methodNotAllowed("POST").answer()));
        rules.any(ONE, handle("other", request -> Problems.methodNotAllowed("GET").answer()));
        rules.any(handle("other", request -> Problems.notFound().answer()));
    }

    private Handler handle(String route, Function<ServerRequest, Answer> answer) {
        return (request, response) -> exchange.send(request, response,
                meters.timed(route, () -> Guarded.answer(() -> answer.apply(request))));
    }

    private Answer post(ServerRequest request) {
        return authenticate(request)
                .answer(merchant -> KeyHeader.read(all(request, IDEMPOTENCY_KEY))
                .answer(key -> body.read(request)
                .answer(bytes -> PaymentBody.read(bytes)
                .answer(payment -> accept.apply(
                        Ask.of(merchant.id(), key, payment, request.remotePeer().host(), clock.instant()))))));
    }

    private Answer get(ServerRequest request) {
        return authenticate(request)
                .answer(merchant -> readPayment.read(merchant.id(), request.path().pathParameters().get("id")));
    }

    private void postBatch(ServerRequest request, ServerResponse response) {
        switch (checkedForBatch(request)) {
            case Checked.Right<Merchant> right -> batch.stream(right.value(), request, response);
            case Checked.Wrong<Merchant> wrong ->
                    exchange.send(request, response, meters.timed("batch", () -> wrong.problem().answer()));
        }
    }

    private Checked<Merchant> checkedForBatch(ServerRequest request) {
        return switch (authenticate(request)) {
            case Checked.Wrong<Merchant> wrong -> wrong;
            case Checked.Right<Merchant> right -> {
                Optional<Problem> refusal = PostBatch.refusal(request);
                yield refusal.isEmpty() ? right : new Checked.Wrong<>(refusal.get());
            }
        };
    }

    private Checked<Merchant> authenticate(ServerRequest request) {
        return merchants.authenticate(all(request, HeaderNames.AUTHORIZATION));
    }

    private static List<String> all(ServerRequest request, HeaderName name) {
        return request.headers().all(name, List::of);
    }
}
