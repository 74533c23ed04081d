// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RefundCall;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.NewRefund;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import io.chargeonce.testkit.SandboxMerchants;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** The merchants' shops. They send payments with the Java client, each under its idempotency key, some twice, and keep the answers. */
final class DemoProducer {

    /** What the service answered: the evidence that the books are checked against. */
    record Accepted(DemoPlan.Payment payment, String paymentId, boolean replayed) {}

    static final String CUSTOMER = "jane@example.com";
    private static final int AT_ONCE = 16;

    private final Map<String, PaymentClient> clients;
    private final Queue<Accepted> answers = new ConcurrentLinkedQueue<>();
    private final Queue<RefundCall> refunds = new ConcurrentLinkedQueue<>();

    DemoProducer(int ingestPort) {
        URI server = URI.create("http://127.0.0.1:" + ingestPort);
        this.clients = Map.of("acme", new PaymentClient(server, SandboxMerchants.ACME_TOKEN, Retries.USUAL),
                "globex", new PaymentClient(server, SandboxMerchants.GLOBEX_TOKEN, Retries.USUAL));
    }

    /** Returns when all of them are accepted. */
    void send(List<DemoPlan.Payment> plan) {
        var places = new Semaphore(AT_ONCE);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (DemoPlan.Payment payment : plan) {
                places.acquireUninterruptibly();
                threads.submit(() -> {
                    try {
                        answers.add(send(payment));
                        if (payment.sentTwice()) {
                            answers.add(send(payment));
                        }
                    } finally {
                        places.release();
                    }
                    return null;
                });
            }
        }
    }

    private Accepted send(DemoPlan.Payment payment) throws InterruptedException {
        var asked = NewPayment.of(payment.key(), payment.amount(), payment.currency(), payment.method()).withReference(payment.key());
        // A shop that does not mail receipts itself says where they go.
        asked = payment.merchant().equals("acme") ? asked.withReceiptEmail(CUSTOMER) : asked;
        asked = payment.method().startsWith("mandate_") ? asked.throughBankDebit() : asked;
        return switch (clients.get(payment.merchant()).send(asked)) {
            case Sent.Accepted accepted -> new Accepted(payment, accepted.paymentId(), accepted.replay());
            case Sent.Refused refused -> throw new IllegalStateException("the ingest service answered %d to %s: %s".formatted(
                    refused.httpStatus(), payment.key(), refused.detail()));
            case Sent.Unknown unknown -> throw new IllegalStateException("the ingest service did not answer %s in %d tries: %s".formatted(
                    payment.key(), unknown.sends(), unknown.lastSeen()));
        };
    }

    /** Gives all of one of acme's payments back. */
    void refund(String payment) {
        try {
            switch (clients.get("acme").refund(NewRefund.ofAll(payment))) {
                case Sent.Accepted accepted -> refunds.add(new RefundCall(payment, Optional.empty(), OptionalLong.empty(),
                        ClientCall.Result.OK, Optional.of(accepted.paymentId())));
                case Sent.Refused refused ->
                    throw new IllegalStateException("the ingest service answered %d to a refund of %s: %s".formatted(
                            refused.httpStatus(), payment, refused.detail()));
                case Sent.Unknown unknown ->
                    throw new IllegalStateException("the ingest service did not answer a refund of %s in %d tries: %s"
                            .formatted(payment, unknown.sends(), unknown.lastSeen()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    List<RefundCall> refunds() {
        return List.copyOf(refunds);
    }

    List<Accepted> answers() {
        return List.copyOf(answers);
    }
}
