package io.chargeonce.checker;

import java.util.Objects;

/** Compares what clients were told with the rows. */
final class ClientChecks {

    private final Books books;

    ClientChecks(Books books) {
        this.books = books;
    }

    void check(Calls calls) {
        calls.forEach(this::call);
        books.payments.values().forEach(this::compare);
        calls.forEach(this::explain);
        books.payments.values().forEach(payment -> {
            if (payment.hasRow() && payment.clientUnknown && !payment.clientOk) {
                books.findings.add(Invariant.ACCEPTED_DURABLE, payment.id, "has the content of none of the calls for its key");
            }
        });
    }

    private void call(ClientCall call) {
        Payment payment = books.payment(DerivedId.ofPayment(call.merchant(), call.key()));
        switch (call.result()) {
            case FAIL -> payment.clientFail = true;
            case UNKNOWN -> payment.clientUnknown = true;
            case OK -> accepted(payment, call);
        }
    }

    private void accepted(Payment payment, ClientCall call) {
        if (!call.paymentId().orElseThrow().equals(payment.id)) {
            books.findings.add(Invariant.IDEMPOTENT_ACCEPT, payment.id, "was answered as " + call.paymentId().get());
        }
        if (payment.clientOk && !payment.okPayload.equals(call.payload())) {
            books.findings.add(Invariant.IDEMPOTENT_ACCEPT, payment.id, "was accepted for two different payloads under one key");
        }
        payment.clientOk = true;
        payment.okPayload = call.payload();
        payment.okAmount = call.amount();
        payment.okCurrency = call.currency();
    }

    private void compare(Payment payment) {
        if (payment.clientOk && !payment.hasRow()) {
            books.findings.add(Invariant.ACCEPTED_DURABLE, Tally.LOST, payment.id, "was accepted, and has no row");
        }
        if (payment.clientOk && payment.hasRow()
                && (payment.okAmount != payment.amount || !Objects.equals(payment.okCurrency, payment.currency))) {
            books.findings.add(Invariant.ACCEPTED_DURABLE, Tally.WRONG_AMOUNT, payment.id, "was accepted at %d %s, and its row says %d %s"
                    .formatted(payment.okAmount, payment.okCurrency, payment.amount, payment.currency));
        }
        if (payment.clientFail && !payment.clientOk && !payment.clientUnknown && payment.hasRow()) {
            books.findings.add(Invariant.ACCEPTED_DURABLE, Tally.PHANTOM, payment.id, "was refused, and has a row");
        }
    }

    /** A row that only calls without an answer can explain has the content of one of them. */
    private void explain(ClientCall call) {
        Payment payment = books.payment(DerivedId.ofPayment(call.merchant(), call.key()));
        if (call.result() == ClientCall.Result.UNKNOWN && payment.amount == call.amount()
                && Objects.equals(payment.currency, call.currency())) {
            payment.clientUnknown = false;
        }
    }
}
