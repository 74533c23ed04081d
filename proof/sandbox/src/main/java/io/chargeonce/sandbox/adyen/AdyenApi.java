// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.PspAnswer;
import io.chargeonce.sandbox.psp.PspApi;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Everything under {@code /v71} that is Adyen's own. Any thread. */
final class AdyenApi implements PspApi<Call, Change, Answer> {
    private final AdyenObjects objects;
    private final PaymentEndpoint payments;
    private final ModificationEndpoints modifications;

    AdyenApi(AdyenObjects objects, PaymentEndpoint payments, ModificationEndpoints modifications) {
        this.objects = objects;
        this.payments = payments;
        this.modifications = modifications;
    }

    @Override
    public Call read(HttpRequest request, Instant at, boolean outage) {
        if (!request.header("x-api-key").equals(Optional.of(AdyenSettings.API_KEY))) {
            throw Refusal.UNAUTHORISED;
        }
        if (outage) {
            throw Refusal.UNAVAILABLE;
        }
        return Call.of(request, at);
    }

    @Override
    public Refusal keyInUse(String key) {
        return Refusal.IN_PROGRESS;
    }

    @Override
    public Refusal otherRequest(String key) {
        throw new IllegalStateException("Bug! Requests with one key are not compared");
    }

    @Override
    public Answer refused(int status) {
        return Refusal.onPurpose(status).frozen();
    }

    @Override
    public Answer broken() {
        return Refusal.BROKEN.frozen();
    }

    @Override
    public PspAnswer transientError() {
        return new Answer.SendAgain(broken());
    }

    @Override
    public Optional<String> paymentToLock(Call call) {
        return Optional.of(call.target()).filter(target -> !target.isEmpty());
    }

    @Override
    public Map<String, String> about(Call call) {
        return switch (call.operation()) {
            case PAYMENT -> call.metadata();
            case CANCEL, REVERSAL, REFUND -> objects.payment(call.target()).map(Payment::metadata).orElse(Map.of());
            case CANCEL_BY_REFERENCE -> Map.of();
        };
    }

    @Override
    public Executed<Change, Answer> execute(Call call) {
        try {
            return switch (call.operation()) {
                case PAYMENT -> payments.pay(call);
                case CANCEL, CANCEL_BY_REFERENCE, REVERSAL, REFUND -> modifications.receive(call);
            };
        } catch (Refusal refusal) {
            return Executed.nothingBut(refusal.frozen());
        }
    }

    @Override
    public Answer stating(Answer answer, long amount) {
        return answer.stating(amount);
    }
}
