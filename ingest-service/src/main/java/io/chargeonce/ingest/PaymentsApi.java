package io.chargeonce.ingest;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.payment.IdempotencyKey;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP interface. A 202 is sent only when the payment's transaction is durable. Each request on its own thread. */
final class PaymentsApi implements HttpService {

    private static final Logger LOG = LoggerFactory.getLogger(PaymentsApi.class);
    private static final HeaderName IDEMPOTENCY_KEY = HeaderNames.create("Idempotency-Key");
    private static final String ONE = Command.PATH + "/{id}";

    private final Merchants merchants;
    private final RequestBody body;
    private final Function<Ask, Acceptance> accept;
    private final ReadPayment readPayment;
    private final IngestMeters meters;
    private final InstantSource clock;

    PaymentsApi(Merchants merchants, RequestBody body, Function<Ask, Acceptance> accept, ReadPayment readPayment,
                IngestMeters meters, InstantSource clock) {
        this.merchants = merchants;
        this.body = body;
        this.accept = accept;
        this.readPayment = readPayment;
        this.meters = meters;
        this.clock = clock;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.post(Command.PATH, handle("accept", this::post));
        rules.get(ONE, handle("read", this::get));
        rules.any(Command.PATH, handle("other", request -> Problems.methodNotAllowed("POST").answer()));
        rules.any(ONE, handle("other", request -> Problems.methodNotAllowed("GET").answer()));
        rules.any(handle("other", request -> Problems.notFound().answer()));
    }

    private Handler handle(String route, Function<ServerRequest, Answer> answer) {
        return (request, response) -> send(response, meters.timed(route, () -> guarded(() -> answer.apply(request))));
    }

    private Answer post(ServerRequest request) {
        return authenticate(request)
                .answer(merchant -> KeyHeader.read(all(request, IDEMPOTENCY_KEY))
                .answer(key -> body.read(request)
                .answer(bytes -> PaymentBody.read(bytes)
                .answer(payment -> accept(Ask.of(merchant, key, payment, request.remotePeer().host(), clock.instant()))))));
    }

    private Answer get(ServerRequest request) {
        return authenticate(request)
                .answer(merchant -> readPayment.read(merchant, request.path().pathParameters().get("id")));
    }

    private Checked<String> authenticate(ServerRequest request) {
        return merchants.authenticate(all(request, HeaderNames.AUTHORIZATION));
    }

    private Answer accept(Ask ask) {
        return switch (accept.apply(ask)) {
            case Acceptance.Accepted(StoredResponse response) -> response.first();
            case Acceptance.Replayed replay -> replay.response().repeated(replay.now(), replay.firstAt());
            case Acceptance.Reused(List<String> fields) -> Problems.keyReused(fields).answer();
            case Acceptance.InUse() -> Problems.keyInUse().answer();
        };
    }

    private static List<String> all(ServerRequest request, HeaderName name) {
        return request.headers().all(name, List::of);
    }

    private static Answer guarded(Supplier<Answer> answer) {
        try {
            return answer.get();
        } catch (Coalescer.Overloaded e) {
            return Problems.overloaded().answer();
        } catch (DatabaseUnavailable e) {
            LOG.warn("A request was answered with 503, to be repeated with the same key: {}", e.getMessage());
            return Problems.unavailable().answer();
        } catch (DatabaseRefused e) {
            LOG.error("Bug! Postgres refused what this service had checked; the request was answered with 500", e);
            return Problems.internal().answer();
        }
    }

    private static void send(ServerResponse response, Answer answer) {
        response.status(answer.status());
        answer.headers().forEach((name, value) -> response.header(name, value));
        response.send(answer.body());
    }
}
