// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.Ids;
import java.time.Duration;
import java.util.Optional;

/** Cancels, reversals and refunds: each is only received here, and executed later (see {@link ModificationResults}). */
final class ModificationEndpoints {
    private final AdyenObjects objects;
    private final Duration lag;

    ModificationEndpoints(AdyenObjects objects, Duration lag) {
        this.objects = objects;
        this.lag = lag;
    }

    Executed<AdyenChange, AdyenReply> receive(AdyenCall call) {
        boolean byReference = call.operation() == AdyenOperation.CANCEL_BY_REFERENCE;
        String payment = byReference
                ? call.text("paymentReference")
                        .orElseThrow(() -> AdyenRefusal.invalid("130", "Required field 'paymentReference' is not provided."))
                : call.target();
        if (!byReference && objects.payment(payment).isEmpty()) {
            throw AdyenRefusal.invalid("167", "Original pspReference required for this operation");
        }
        Optional<Amount> amount = call.operation() == AdyenOperation.REFUND ? Optional.of(call.amount()) : Optional.empty();
        Modification received = new Modification(Ids.nextUpperCase(16), call.operation(), payment, call.text("reference"),
                amount, call.key(), call.at().plus(lag), Optional.empty());
        return Executed.of(answer(received), AdyenChange.received(received));
    }

    private static AdyenReply answer(Modification received) {
        boolean byReference = received.operation() == AdyenOperation.CANCEL_BY_REFERENCE;
        return AdyenReply.of(201, json -> {
            json.writeStringProperty("merchantAccount", AdyenSimulatorSettings.MERCHANT_ACCOUNT);
            json.writeStringProperty(byReference ? "paymentReference" : "paymentPspReference", received.payment());
            json.writeStringProperty("pspReference", received.pspReference());
            received.reference().ifPresent(reference -> json.writeStringProperty("reference", reference));
            json.writeStringProperty("status", "received");
            received.amount().ifPresent(amount -> amount.write(json));
        });
    }
}
