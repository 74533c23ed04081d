// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.RefundCall;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;

/** Compares the answers that clients got with the rows. */
final class ClientChecks {

    private final ShareContents contents;

    ClientChecks(ShareContents contents) {
        this.contents = contents;
    }

    void check(Calls calls) {
        calls.forEach(this::call);
        contents.payments.values().forEach(this::compare);
        calls.forEach(this::explain);
        calls.forEachRefund(this::refund);
        contents.payments.values().forEach(payment -> {
            if (payment.hasRow() && payment.clientUnknown && !payment.clientOk) {
                contents.findings.add(Invariant.ACCEPTED_DURABLE, payment.id, "has the content of none of the calls for its key");
            }
        });
    }

    private void call(ClientCall call) {
        String id = RederivedId.ofPayment(call.merchant(), call.key());
        if (!contents.share.holds(id)) {
            return;
        }
        CheckedPayment payment = contents.payment(id);
        switch (call.result()) {
            case FAIL -> payment.clientFail = true;
            case UNKNOWN -> payment.clientUnknown = true;
            case OK -> accepted(payment, call);
        }
    }

    private void accepted(CheckedPayment payment, ClientCall call) {
        if (!call.paymentId().orElseThrow().equals(payment.id)) {
            contents.findings.add(Invariant.IDEMPOTENT_ACCEPT, payment.id, "was answered as " + call.paymentId().get());
        }
        if (payment.clientOk && !payment.okContent().equals(call.content())) {
            contents.findings.add(Invariant.IDEMPOTENT_ACCEPT, payment.id, "was accepted at %s and at %s under one key"
                    .formatted(payment.okContent(), call.content()));
        }
        if (!payment.clientOk) {
            payment.accepted(call.content());
        }
    }

    private void compare(CheckedPayment payment) {
        if (payment.clientOk && !payment.hasRow()) {
            contents.findings.add(Invariant.ACCEPTED_DURABLE, PaymentCount.LOST, payment.id, "was accepted, and has no row");
        }
        if (payment.clientOk && payment.hasRow()) {
            compare(payment, payment.okContent(), payment.content());
        }
        if (payment.clientFail && !payment.clientOk && !payment.clientUnknown && payment.hasRow()) {
            contents.findings.add(Invariant.ACCEPTED_DURABLE, PaymentCount.PHANTOM, payment.id, "was refused, and has a row");
        }
    }

    private void compare(CheckedPayment payment, ClientCall.Content told, ClientCall.Content kept) {
        String finding = "was accepted at %s, and its row says %s".formatted(told, kept);
        if (told.amount() != kept.amount() || !told.currency().equals(kept.currency())) {
            contents.findings.add(Invariant.ACCEPTED_DURABLE, PaymentCount.WRONG_AMOUNT, payment.id, finding);
        } else if (!told.equals(kept)) {
            contents.findings.add(Invariant.ACCEPTED_DURABLE, payment.id, finding);
        }
    }

    /** A row that only calls without an answer can explain has the content of one of them. */
    private void explain(ClientCall call) {
        CheckedPayment payment = contents.payments.get(RederivedId.ofPayment(call.merchant(), call.key()));
        if (payment != null && call.result() == ClientCall.Result.UNKNOWN && call.content().equals(payment.content())) {
            payment.clientUnknown = false;
        }
    }

    /** What was refused once may have been accepted from another client since, so only an acceptance proves anything. */
    private void refund(RefundCall call) {
        if (call.result() != ClientCall.Result.OK || !contents.share.holds(call.entity())) {
            return;
        }
        if (!call.refundId().orElseThrow().equals(call.entity())) {
            contents.findings.add(Invariant.IDEMPOTENT_ACCEPT, call.entity(), "was answered as " + call.refundId().get());
        }
        CheckedPayment refund = contents.payments.get(call.entity());
        if (refund == null || !refund.hasRow()) {
            contents.findings.add(Invariant.ACCEPTED_DURABLE, PaymentCount.LOST, call.entity(), "was accepted, and has no row");
        } else if (call.amount().isPresent() && call.amount().getAsLong() != refund.amount) {
            contents.findings.add(Invariant.ACCEPTED_DURABLE, PaymentCount.WRONG_AMOUNT, call.entity(),
                    "was accepted at %d, and its row says %d"
                            .formatted(call.amount().getAsLong(), refund.amount));
        }
    }
}
