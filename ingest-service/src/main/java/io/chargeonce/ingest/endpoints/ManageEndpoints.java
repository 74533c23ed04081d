// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.endpoints;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.endpoints.Caller;
import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.DeliveryBook.Filter;
import io.chargeonce.endpoints.EndpointAddress;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.endpoints.EndpointJson;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.merchants.Credential;
import io.chargeonce.ingest.transport.RequestBody;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentJson;
import io.helidon.webserver.http.ServerRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A merchant's own endpoints and their deliveries. Each statement passes on the digest of the merchant's token, from which Postgres itself
 * takes the merchant: so another merchant's endpoint is as unknown as one that does not exist. Any thread.
 */
public final class ManageEndpoints {

    public static final String PATH = "/v1/webhook-endpoints";
    private static final int MOST_REDELIVERED = 10_000;
    /** A payment has few events, and a merchant few endpoints. */
    private static final int MOST_OF_A_PAYMENT = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(ManageEndpoints.class);
    private static final Map<String, String> HEADERS = Map.of("Content-Type", "application/json", "Cache-Control", "no-store");

    private final Database database;
    private final EndpointSettings settings;
    private final RequestBody body;

    public ManageEndpoints(Database database, EndpointSettings settings, RequestBody body) {
        this.database = database;
        this.settings = settings;
        this.body = body;
    }

    private static Caller caller(Credential credential) {
        return new Caller.Merchant(credential.merchant().id(), credential.digest().array());
    }

    private EndpointTable endpoints(Credential credential) {
        return new EndpointTable(database, settings.vault(), caller(credential));
    }

    private DeliveryBook deliveries(Credential credential) {
        return new DeliveryBook(database, caller(credential));
    }

    private static String id(ServerRequest request) {
        return request.path().pathParameters().get("id");
    }

    private static Answer answer(int status, Object json, String outcome) {
        return new Answer(status, HEADERS, PaymentJson.write(json), outcome);
    }

    public Answer list(Credential credential) {
        return answer(200, Map.of("data", endpoints(credential).list(Optional.empty()).stream().map(EndpointJson::of).toList()), "listed");
    }

    public Answer read(Credential credential, ServerRequest request) {
        return shown(endpoints(credential), id(request));
    }

    private static Answer shown(EndpointTable endpoints, String id) {
        return endpoints.find(id).map(endpoint -> answer(200, EndpointJson.of(endpoint), "found"))
                .orElseGet(() -> Problems.notFound().answer());
    }

    public Answer add(Credential credential, ServerRequest request) {
        return body.read(request, RequestForm.ENDPOINT).answer(bytes -> EndpointBody
                .endpoint(bytes, new EndpointAddress(settings.allowedHosts())).answer(wanted -> changed(() -> {
                    var endpoints = endpoints(credential);
                    var added = endpoints.add(credential.merchant().id(), wanted.url(), wanted.events());
                    return added.made().map(endpoint -> withSecret(201, endpoints, endpoint)).orElseGet(() -> refused(added.change()));
                })));
    }

    /** The only place where a secret is shown. */
    private static Answer withSecret(int status, EndpointTable endpoints, EndpointTable.NewEndpoint made) {
        var json = new LinkedHashMap<String, Object>();
        json.put("id", made.id());
        json.put("secret", made.secret());
        endpoints.find(made.id()).map(EndpointJson::of).ifPresent(json::putAll);
        var headers = new LinkedHashMap<>(HEADERS);
        headers.put("Location", PATH + "/" + made.id());
        return new Answer(status, headers, PaymentJson.write(json), "changed");
    }

    public Answer rotate(Credential credential, ServerRequest request) {
        return body.read(request, RequestForm.ROTATION).answer(bytes -> EndpointBody.rotation(bytes).answer(overlap -> changed(() -> {
            var endpoints = endpoints(credential);
            var rotated = endpoints.rotate(id(request), overlap);
            return rotated.made().map(endpoint -> withSecret(200, endpoints, endpoint))
                    .orElseGet(() -> rotated.change() == EndpointTable.Change.TOO_MANY ? Problems.tooManySecrets().answer()
                            : refused(rotated.change()));
        })));
    }

    public Answer disable(Credential credential, ServerRequest request) {
        return toggle(credential, request, EndpointTable::disable);
    }

    public Answer enable(Credential credential, ServerRequest request) {
        return toggle(credential, request, EndpointTable::enable);
    }

    /** Repeating it is harmless. */
    private Answer toggle(Credential credential, ServerRequest request, BiFunction<EndpointTable, String, EndpointTable.Change> change) {
        return changed(() -> {
            var endpoints = endpoints(credential);
            EndpointTable.Change done = change.apply(endpoints, id(request));
            return switch (done) {
                case DONE, UNCHANGED -> shown(endpoints, id(request));
                case NO_MERCHANT, NO_ENDPOINT, TOO_MANY, HELD -> refused(done);
            };
        });
    }

    public Answer remove(Credential credential, ServerRequest request) {
        return changed(() -> {
            EndpointTable.Change done = endpoints(credential).remove(id(request));
            return done == EndpointTable.Change.DONE ? answer(200, Map.of("id", id(request), "removed", true), "changed") : refused(done);
        });
    }

    public Answer test(Credential credential, ServerRequest request) {
        return changed(() -> {
            var endpoints = endpoints(credential);
            var test = endpoints.test(id(request));
            return test.made().map(webhook -> answer(202, Map.of("webhook_id", webhook), "changed"))
                    .orElseGet(() -> test.change() == EndpointTable.Change.TOO_MANY ? Problems.tooManyTests().answer()
                            : disabledOrUnknown(endpoints, id(request)));
        });
    }

    private static Answer disabledOrUnknown(EndpointTable endpoints, String id) {
        return (endpoints.find(id).isPresent() ? Problems.endpointDisabled() : Problems.notFound()).answer();
    }

    private static Answer refused(EndpointTable.Change change) {
        Problem problem = switch (change) {
            case NO_MERCHANT, NO_ENDPOINT -> Problems.notFound();
            case TOO_MANY -> Problems.tooManyEndpoints(EndpointTable.MOST_OF_A_MERCHANT);
            case HELD -> Problems.endpointHeld();
            case DONE, UNCHANGED -> throw new IllegalStateException("Bug! Nothing was refused");
        };
        return problem.answer();
    }

    public Answer deliveries(Credential credential, ServerRequest request) {
        return DeliveryQuery.read(request.query().toMap()).answer(query -> endpoints(credential).find(id(request)).isEmpty()
                ? Problems.notFound().answer()
                : page(deliveries(credential).list(new Filter(Optional.of(id(request)), Optional.empty(), query.state(), Optional.empty(),
                        query.after()), query.limit() + 1), query.limit()));
    }

    private static Answer page(List<DeliveryBook.Entry> found, int limit) {
        List<DeliveryBook.Entry> page = found.subList(0, Math.min(found.size(), limit));
        var json = new LinkedHashMap<String, Object>();
        json.put("data", page.stream().map(EndpointJson::of).toList());
        if (found.size() > limit) {
            json.put("next_cursor", DeliveryQuery.cursor(page.getLast()));
        }
        return answer(200, json, "listed");
    }

    /** @param payment that its merchant may read */
    public Answer ofPayment(Credential credential, String payment) {
        return answer(200, Map.of("data",
                deliveries(credential).list(Filter.ofPayment(payment), MOST_OF_A_PAYMENT).stream().map(EndpointJson::of).toList()),
                "listed");
    }

    public Answer redeliver(Credential credential, ServerRequest request) {
        return DeliveryQuery.window(request.query().toMap()).answer(window -> changed(() -> {
            var endpoints = endpoints(credential);
            if (endpoints.find(id(request)).filter(endpoint -> !endpoint.isDisabled()).isEmpty()) {
                return disabledOrUnknown(endpoints, id(request));
            }
            var deliveries = deliveries(credential);
            return answer(202, window.map(time -> EndpointJson.of(deliveries.redeliver(id(request), time, MOST_REDELIVERED)))
                    .orElseGet(() -> Map.of("redelivered", deliveries.redeliverDeadOf(id(request), MOST_REDELIVERED))), "changed");
        }));
    }

    public Answer redeliverOne(Credential credential, ServerRequest request) {
        return changed(() -> {
            var deliveries = deliveries(credential);
            String webhook = request.path().pathParameters().get("webhook");
            Supplier<Optional<DeliveryBook.Entry>> found = () -> deliveries.list(Filter.ofWebhook(webhook), 1).stream()
                    .filter(entry -> entry.endpoint().equals(id(request))).findFirst();
            if (found.get().isEmpty()) {
                return Problems.notFound().answer();
            }
            return switch (deliveries.redeliver(webhook)) {
                case DONE -> found.get().map(entry -> answer(202, EndpointJson.of(entry), "changed"))
                        .orElseGet(() -> Problems.notFound().answer());
                case TOO_MANY -> Problems.tooManyTests().answer();
                case UNCHANGED, NO_MERCHANT, NO_ENDPOINT, HELD -> disabledOrUnknown(endpoints(credential), id(request));
            };
        });
    }

    /** These requests have no idempotency key: what to do after a failure is another thing than with a payment. */
    private static Answer changed(Supplier<Answer> change) {
        try {
            return change.get();
        } catch (Vault.NoKey noKey) {
            LOG.warn("A merchant's request about its webhooks was refused: {}", noKey.getMessage());
            return Problems.webhooksNotSetUp().answer();
        } catch (DatabaseUnavailable away) {
            LOG.warn("A merchant's request about its webhooks was answered with 503: {}", away.getMessage());
            return Problems.endpointsUnavailable().answer();
        } catch (DatabaseRefused refused) {
            if (refused.isAboutTheRow()) {
                throw refused;
            }
            LOG.warn("A merchant's request about its webhooks was answered with 503: {}", refused.getMessage());
            return Problems.endpointsUnavailable().answer();
        }
    }
}
