// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.Movement;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Gives money back, never more than was captured. Reads the objects and says what should change; changes nothing itself. */
final class RefundEndpoint {
    private static final Set<String> REASONS = Set.of("duplicate", "fraudulent", "requested_by_customer");

    private final StripeObjects objects;

    RefundEndpoint(StripeObjects objects) {
        this.objects = objects;
    }

    Executed<StripeChange, StripeAnswer> refund(StripeCall call) {
        Form form = call.form();
        Optional<Long> wanted = Parameters.amount(form);
        Parameters.oneOf(form, "reason", REASONS);
        Map<String, String> metadata = Parameters.metadata(form, Map.of());
        StripeCharge charge = charge(form);
        if (objects.disputeOf(charge.paymentIntent()).filter(dispute -> dispute.isTaken() && !dispute.refundable()).isPresent()) {
            throw refused("Charge " + charge.id() + " has been charged back; cannot issue a refund.", "charge_disputed");
        }
        if (charge.refundable() == 0) {
            throw refused("Charge " + charge.id() + " has already been refunded.", "charge_already_refunded");
        }
        long amount = wanted.orElse(charge.refundable());
        StripeCurrencies.requireUnits(amount, charge.currency());
        if (amount > charge.refundable()) {
            throw refused("Refund amount (" + amount + ") is greater than unrefunded amount on charge ("
                    + charge.refundable() + ")", "amount_too_large");
        }
        return refunded(new StripeRefund(Ids.next("re_3", 23), call.at(), charge.id(), charge.paymentIntent(), amount,
                charge.currency(), metadata, form.text("reason")), charge, call);
    }

    private static Executed<StripeChange, StripeAnswer> refunded(StripeRefund refund, StripeCharge charge, StripeCall call) {
        Movement movement = new Movement(Movement.Kind.REFUND, refund.id(), refund.paymentIntent(), Optional.empty(), refund.amount(),
                refund.currency(), refund.metadata(), call.at(), call.key(), StripeCurrencies.value(refund.amount(), refund.currency()));
        return Executed.of(new StripeAnswer.Refunded(refund), new StripeChange(Optional.empty(),
                Optional.of(charge.refunded(refund.amount())), Optional.of(refund), Optional.of(movement)));
    }

    /** The intent that a refund is about, if the request names it. It need not exist. */
    Optional<String> intent(Form form) {
        return form.text("payment_intent")
                .or(() -> form.text("charge").flatMap(objects::charge).map(StripeCharge::paymentIntent));
    }

    private StripeCharge charge(Form form) {
        Optional<String> byIntent = form.text("payment_intent");
        if (byIntent.isPresent()) {
            return ofIntent(byIntent.get());
        }
        if (!form.has("charge")) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400,
                    "One of the following params should be provided for this request: payment_intent or charge.")
                    .code("parameter_missing").param("payment_intent"));
        }
        String id = Parameters.required(form, "charge");
        StripeCharge charge = objects.charge(id).orElseThrow(() -> Parameters.missing("charge", id, "charge", 404));
        if (!charge.succeeded()) {
            throw refused("Charge " + id + " failed, so it cannot be refunded.", "charge_not_refundable");
        }
        return charge;
    }

    private StripeCharge ofIntent(String id) {
        PaymentIntent intent = objects.intent(id)
                .orElseThrow(() -> Parameters.missing("payment_intent", id, "payment_intent", 404));
        return intent.latestCharge().flatMap(objects::charge).filter(StripeCharge::succeeded)
                .orElseThrow(() -> StripeRefusal.inExecution(ApiError.invalidRequest(400,
                        "This PaymentIntent (" + id + ") does not have a successful charge to refund.")));
    }

    private static StripeRefusal refused(String message, String code) {
        return StripeRefusal.inExecution(ApiError.invalidRequest(400, message).code(code));
    }
}
