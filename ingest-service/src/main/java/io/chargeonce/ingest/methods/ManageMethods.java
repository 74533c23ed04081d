// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.methods;

import io.chargeonce.database.Database;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.accept.PostPayment;
import io.chargeonce.ingest.accept.TextField;
import io.chargeonce.ingest.answer.KeyHeader;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.merchants.Merchant;
import io.chargeonce.ingest.transport.RequestBody;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.wire.PaymentJson;
import io.helidon.webserver.http.ServerRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.StringNode;

/**
 * Stores, shows and detaches a merchant's payment methods. The id follows from merchant and key, so a repeat under the key stores nothing
 * and gets the method as it stands now. Any thread.
 */
public final class ManageMethods {

    public static final String PATH = "/v1/payment_methods";
    private static final Map<String, String> HEADERS = Map.of("Content-Type", "application/json", "Cache-Control", "no-store");

    private final Database database;
    private final RequestBody body;
    private final KnownPsps known;

    public ManageMethods(Database database, RequestBody body, KnownPsps known) {
        this.database = database;
        this.body = body;
        this.known = known;
    }

    public Answer store(Merchant merchant, ServerRequest request) {
        return KeyHeader.read(request.headers().all(PostPayment.IDEMPOTENCY_KEY, List::of), RequestForm.METHOD)
                .answer(key -> body.read(request, RequestForm.METHOD)
                        .answer(bytes -> MethodBody.read(bytes, known).answer(method -> store(merchant, key, method))));
    }

    private Answer store(Merchant merchant, IdempotencyKey key, MethodBody.NewMethod method) {
        var id = PaymentMethodId.derive(merchant.id(), key);
        return database.inTransaction(connection -> {
            boolean isNew = MethodTable.store(connection, merchant.id(), id, method);
            StoredMethod stored = MethodTable.find(connection, merchant.id(), id)
                    .orElseThrow(() -> new IllegalStateException("Bug! %s is another merchant's".formatted(id)));
            if (!stored.isFrom(method)) {
                return Problems.keyReused(RequestForm.METHOD, Optional.of("another payment method"), List.of()).answer();
            }
            var headers = new LinkedHashMap<>(HEADERS);
            headers.put("Location", PATH + "/" + id);
            if (!isNew) {
                headers.put("Idempotent-Replayed", "true");
            }
            return new Answer(201, headers, PaymentJson.write(stored.json()), isNew ? "stored" : "replayed");
        });
    }

    public Answer read(Merchant merchant, ServerRequest request) {
        return shown(id(request).flatMap(
                id -> database.withConnection(connection -> MethodTable.find(connection, merchant.id(), id))), "found");
    }

    public Answer list(Merchant merchant, ServerRequest request) {
        Map<String, List<String>> parameters = request.query().toMap();
        List<String> customer = parameters.getOrDefault("customer", List.of());
        if (parameters.size() != 1 || customer.size() != 1 || TextField.fault(StringNode.valueOf(customer.getFirst())).isPresent()) {
            return Problems.badQuery(List.of(new Problem.FieldError("customer",
                    "must be there once, and no other parameter with it: your name for the customer"))).answer();
        }
        List<StoredMethod> found = database.withConnection(
                connection -> MethodTable.ofCustomer(connection, merchant.id(), customer.getFirst()));
        return new Answer(200, HEADERS, PaymentJson.write(Map.of("data", found.stream().map(StoredMethod::json).toList())), "listed");
    }

    /** Detaching it once more changes nothing, so a repeat needs no key. */
    public Answer detach(Merchant merchant, ServerRequest request) {
        return shown(id(request).flatMap(id -> database.inTransaction(connection -> {
            MethodTable.detach(connection, merchant.id(), id);
            return MethodTable.find(connection, merchant.id(), id);
        })), "detached");
    }

    private static Optional<PaymentMethodId> id(ServerRequest request) {
        return PaymentMethodId.parse(request.path().pathParameters().get("id"));
    }

    private static Answer shown(Optional<StoredMethod> method, String outcome) {
        return method.map(found -> new Answer(200, HEADERS, PaymentJson.write(found.json()), outcome))
                .orElseGet(() -> Problems.notFound().answer());
    }
}
