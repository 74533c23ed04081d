package io.chargeonce.standalone;

import io.chargeonce.client.NewPayment;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Merchants' shops: they send payments with the Java client, each under its idempotency key, some twice, and keep what they are told. */
final class DemoProducer {

    /** What the service answered: the evidence that the books are checked against. */
    record Told(DemoPlan.Payment payment, String paymentId, boolean replayed) {}

    private static final int AT_ONCE = 16;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI server;
    private final Map<String, PaymentClient> clients;
    private final Queue<Told> told = new ConcurrentLinkedQueue<>();

    DemoProducer(int ingestPort) {
        this.server = URI.create("http://127.0.0.1:" + ingestPort);
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
                        told.add(send(payment));
                        if (payment.sentTwice()) {
                            told.add(send(payment));
                        }
                    } finally {
                        places.release();
                    }
                    return null;
                });
            }
        }
    }

    private Told send(DemoPlan.Payment payment) throws InterruptedException {
        var asked = NewPayment.of(payment.key(), payment.amount(), payment.currency(), payment.method()).withReference(payment.key());
        return switch (clients.get(payment.merchant()).send(asked)) {
            case Sent.Accepted accepted -> new Told(payment, accepted.paymentId(), accepted.replay());
            case Sent.Refused refused -> throw new IllegalStateException("the ingest service answered %d to %s: %s".formatted(
                    refused.httpStatus(), payment.key(), refused.detail()));
            case Sent.Unknown unknown -> throw new IllegalStateException("the ingest service did not answer %s in %d tries: %s".formatted(
                    payment.key(), unknown.sends(), unknown.lastSeen()));
        };
    }

    /** Gives all of one of acme's payments back. */
    void refund(String payment) {
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/v1/payments/" + payment + "/refunds")).timeout(Duration.ofSeconds(20))
                .header("Authorization", "Bearer " + SandboxMerchants.ACME_TOKEN).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}")).build();
        try {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            if (answer.statusCode() != 202) {
                throw new IllegalStateException("the ingest service answered %d to a refund of %s: %s".formatted(
                        answer.statusCode(), payment, answer.body()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    List<Told> told() {
        return List.copyOf(told);
    }
}
