// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.Movement;
import java.time.Instant;
import java.util.Optional;

/** Executes modifications when they are due: money back, or the reason why not. Any thread. */
final class ModificationResults {
    private final AdyenObjects objects;
    private final PspLedger<AdyenChange, AdyenReply> ledger;
    private final LockStripes locks;

    ModificationResults(AdyenObjects objects, PspLedger<AdyenChange, AdyenReply> ledger, LockStripes locks) {
        this.objects = objects;
        this.ledger = ledger;
        this.locks = locks;
    }

    void executeDue(Instant now) {
        for (Modification due : objects.open()) {
            if (!due.due().isAfter(now)) {
                Optional<AdyenPayment> payment = objects.named(due);
                locks.locked(payment.map(AdyenPayment::pspReference).orElse(due.payment()), () -> execute(due, now));
            }
        }
    }

    private boolean execute(Modification due, Instant now) {
        if (!objects.isOpen(due)) {
            return false; // Forgotten by a reset since it was found to be due.
        }
        Optional<AdyenPayment> payment = objects.named(due);
        long giveBack = payment.filter(found -> !found.refundsFail() && !isTaken(found)).map(found -> giveBack(due, found)).orElse(0L);
        AdyenChange change = giveBack > 0
                ? success(due, payment.orElseThrow(), giveBack, now) : failure(due, payment, now);
        ledger.commit(change);
        return giveBack > 0;
    }

    private static AdyenChange success(Modification due, AdyenPayment payment, long giveBack, Instant now) {
        var result = new Modification.Result(true, "");
        return new AdyenChange(Optional.of(payment.refunded(giveBack)), Optional.of(due.with(result)),
                Optional.of(refund(due, payment, giveBack, now)),
                Optional.of(notification(due, Optional.of(payment), result, now)), Optional.empty());
    }

    private static AdyenChange failure(Modification due, Optional<AdyenPayment> payment, Instant now) {
        var result = new Modification.Result(false, reason(due, payment));
        return new AdyenChange(Optional.empty(), Optional.of(due.with(result)), Optional.empty(),
                Optional.of(notification(due, payment, result, now)), Optional.empty());
    }

    /** What a dispute has taken is not there to be given back. */
    private boolean isTaken(AdyenPayment payment) {
        return objects.disputeOf(payment.pspReference()).filter(dispute -> dispute.step().hasTheMoney()).isPresent();
    }

    /** How much money this modification gives back, 0 if it may not give any. */
    private static long giveBack(Modification due, AdyenPayment payment) {
        return switch (due.operation()) {
            case REFUND -> due.amount().filter(wanted -> wanted.currency().equals(payment.amount().currency())
                    && wanted.value() <= payment.refundable()).map(Amount::value).orElse(0L);
            case REVERSAL -> payment.refundable();
            // Captured at once, so there is never an authorisation left to cancel.
            case CANCEL, CANCEL_BY_REFERENCE, PAYMENT -> 0;
        };
    }

    private static String reason(Modification due, Optional<AdyenPayment> payment) {
        if (payment.isEmpty()) {
            return "Original payment not found";
        }
        if (payment.get().captured() == 0) {
            return "Transaction was not authorised";
        }
        return switch (due.operation()) {
            case REFUND, REVERSAL -> payment.get().refundsFail() ? "Refund failed" : "Insufficient balance on payment";
            case CANCEL, CANCEL_BY_REFERENCE, PAYMENT -> "Transaction has already been captured";
        };
    }

    private static Movement refund(Modification due, AdyenPayment payment, long amount, Instant now) {
        return new Movement(Movement.Kind.REFUND, due.pspReference(), payment.pspReference(), due.reference(), amount,
                Movement.currency(payment.amount().currency()), payment.metadata(), now, due.idempotencyKey(),
                AdyenCurrencies.value(new Amount(amount, payment.amount().currency())));
    }

    private static Notification notification(Modification due, Optional<AdyenPayment> payment, Modification.Result result, Instant now) {
        Amount amount = due.amount().or(() -> payment.map(AdyenPayment::amount)).orElse(new Amount(0, "EUR"));
        return new Notification(Ids.nextUpperCase(20), due.operation().eventCode, due.pspReference(),
                payment.map(AdyenPayment::pspReference), due.reference().or(() -> payment.map(AdyenPayment::reference)).orElse(""), amount,
                now, result.success(), result.reason(), payment.map(AdyenPayment::brand).orElse("visa"));
    }
}
