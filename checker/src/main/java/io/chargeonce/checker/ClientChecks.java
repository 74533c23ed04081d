package io.chargeonce.checker;

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
        if (payment.clientOk && !payment.okContent.equals(call.content())) {
            books.findings.add(Invariant.IDEMPOTENT_ACCEPT, payment.id, "was accepted at %s and at %s under one key"
                    .formatted(payment.okContent, call.content()));
        }
        payment.okContent = payment.clientOk ? payment.okContent : call.content();
        payment.clientOk = true;
    }

    private void compare(Payment payment) {
        if (payment.clientOk && !payment.hasRow()) {
            books.findings.add(Invariant.ACCEPTED_DURABLE, Tally.LOST, payment.id, "was accepted, and has no row");
        }
        if (payment.clientOk && payment.hasRow()) {
            compare(payment, payment.okContent, payment.content());
        }
        if (payment.clientFail && !payment.clientOk && !payment.clientUnknown && payment.hasRow()) {
            books.findings.add(Invariant.ACCEPTED_DURABLE, Tally.PHANTOM, payment.id, "was refused, and has a row");
        }
    }

    private void compare(Payment payment, ClientCall.Content told, ClientCall.Content kept) {
        String finding = "was accepted at %s, and its row says %s".formatted(told, kept);
        if (told.amount() != kept.amount() || !told.currency().equals(kept.currency())) {
            books.findings.add(Invariant.ACCEPTED_DURABLE, Tally.WRONG_AMOUNT, payment.id, finding);
        } else if (!told.equals(kept)) {
            books.findings.add(Invariant.ACCEPTED_DURABLE, payment.id, finding);
        }
    }

    /** A row that only calls without an answer can explain has the content of one of them. */
    private void explain(ClientCall call) {
        Payment payment = books.payment(DerivedId.ofPayment(call.merchant(), call.key()));
        if (call.result() == ClientCall.Result.UNKNOWN && call.content().equals(payment.content())) {
            payment.clientUnknown = false;
        }
    }
}
