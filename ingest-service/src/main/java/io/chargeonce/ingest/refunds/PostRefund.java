// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.refunds;

import io.chargeonce.ingest.accept.PostPayment;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.KeyHeader;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.merchants.Merchant;
import io.chargeonce.ingest.transport.RequestBody;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.helidon.webserver.http.ServerRequest;
import java.util.List;
import java.util.Optional;

/** Handles one request for a refund. Any thread. */
public final class PostRefund {

    private final RequestBody body;
    private final AcceptRefund accept;

    public PostRefund(RequestBody body, AcceptRefund accept) {
        this.body = body;
        this.accept = accept;
    }

    public Answer answer(Merchant merchant, ServerRequest request) {
        Optional<PaymentId> payment = PaymentId.parse(request.path().pathParameters().get("id"));
        return payment.isEmpty() ? Problems.notFound().answer()
                : key(request).answer(key -> body.read(request, RequestForm.REFUND)
                        .answer(bytes -> RefundBody.read(bytes, merchant.id(), payment.get())
                                .answer(ask -> accept.accept(ask, key))));
    }

    /** Payment and reference name the refund, so the key is optional. */
    private static Checked<Optional<IdempotencyKey>> key(ServerRequest request) {
        List<String> values = request.headers().all(PostPayment.IDEMPOTENCY_KEY, List::of);
        if (values.isEmpty()) {
            return new Checked.Right<>(Optional.empty());
        }
        return switch (KeyHeader.read(values, RequestForm.REFUND)) {
            case Checked.Right<IdempotencyKey> right -> new Checked.Right<>(Optional.of(right.value()));
            case Checked.Wrong<IdempotencyKey> wrong -> new Checked.Wrong<>(wrong.problem());
        };
    }
}
