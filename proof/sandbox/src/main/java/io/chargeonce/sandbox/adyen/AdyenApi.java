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
final class AdyenApi implements PspApi<AdyenCall, AdyenChange, AdyenReply> {
    private final AdyenObjects objects;
    private final PaymentEndpoint payments;
    private final ModificationEndpoints modifications;

    AdyenApi(AdyenObjects objects, PaymentEndpoint payments, ModificationEndpoints modifications) {
        this.objects = objects;
        this.payments = payments;
        this.modifications = modifications;
    }

    @Override
    public AdyenCall read(HttpRequest request, Instant at, boolean outage) {
        if (!request.header("x-api-key").equals(Optional.of(AdyenSimulatorSettings.API_KEY))) {
            throw AdyenRefusal.UNAUTHORISED;
        }
        if (outage) {
            throw AdyenRefusal.UNAVAILABLE;
        }
        return AdyenCall.of(request, at);
    }

    @Override
    public AdyenRefusal keyInUse(String key) {
        return AdyenRefusal.IN_PROGRESS;
    }

    @Override
    public AdyenRefusal otherRequest(String key) {
        throw new IllegalStateException("Bug! Requests with one key are not compared");
    }

    @Override
    public AdyenReply refused(int status) {
        return AdyenRefusal.onPurpose(status).frozen();
    }

    @Override
    public AdyenReply broken() {
        return AdyenRefusal.BROKEN.frozen();
    }

    @Override
    public PspAnswer transientError() {
        return new AdyenReply.SendAgain(broken());
    }

    @Override
    public Optional<String> paymentToLock(AdyenCall call) {
        return Optional.of(call.target()).filter(target -> !target.isEmpty());
    }

    @Override
    public Map<String, String> about(AdyenCall call) {
        return switch (call.operation()) {
            case PAYMENT -> call.metadata();
            case CANCEL, REVERSAL, REFUND -> objects.payment(call.target()).map(AdyenPayment::metadata).orElse(Map.of());
            case CANCEL_BY_REFERENCE -> Map.of();
        };
    }

    @Override
    public Executed<AdyenChange, AdyenReply> execute(AdyenCall call) {
        try {
            return switch (call.operation()) {
                case PAYMENT -> payments.pay(call);
                case CANCEL, CANCEL_BY_REFERENCE, REVERSAL, REFUND -> modifications.receive(call);
            };
        } catch (AdyenRefusal refusal) {
            return Executed.nothingBut(refusal.frozen());
        }
    }

    @Override
    public AdyenReply stating(AdyenReply answer, long amount) {
        return answer.stating(amount);
    }
}
