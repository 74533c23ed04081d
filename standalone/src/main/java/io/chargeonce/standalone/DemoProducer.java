package io.chargeonce.standalone;

import io.chargeonce.wire.PaymentJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import tools.jackson.databind.JsonNode;

/** A merchant's shop: sends payments over real HTTP, each under its idempotency key, some twice. Keeps what it was told. */
final class DemoProducer {

    /** What the service answered: the evidence that the books are checked against. */
    record Told(DemoPlan.Payment payment, String paymentId, boolean replayed) {}

    private static final int AT_ONCE = 16;
    private static final Map<String, String> TOKENS =
            Map.of("acme", SandboxMerchants.ACME_TOKEN, "globex", SandboxMerchants.GLOBEX_TOKEN);

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI payments;
    private final Queue<Told> told = new ConcurrentLinkedQueue<>();

    DemoProducer(int ingestPort) {
        this.payments = URI.create("http://127.0.0.1:" + ingestPort + "/v1/payments");
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

    private Told send(DemoPlan.Payment payment) throws IOException, InterruptedException {
        var body = new LinkedHashMap<String, Object>();
        body.put("amount", payment.amount());
        body.put("currency", payment.currency());
        body.put("payment_method", payment.method());
        body.put("reference", payment.key());
        HttpResponse<String> answer = http.send(post(payments, payment.merchant(), body).header("Idempotency-Key", payment.key()).build(),
                BodyHandlers.ofString());
        if (answer.statusCode() != 202) {
            throw new IllegalStateException("the ingest service answered %d to %s: %s".formatted(
                    answer.statusCode(), payment.key(), answer.body()));
        }
        JsonNode json = PaymentJson.MAPPER.readTree(answer.body());
        return new Told(payment, json.path("id").asString(""), answer.headers().firstValue("Idempotent-Replayed").isPresent());
    }

    /** Gives all of one of acme's payments back. */
    void refund(String payment) {
        try {
            URI refunds = URI.create(payments + "/" + payment + "/refunds");
            HttpResponse<String> answer = http.send(post(refunds, "acme", Map.of()).build(), BodyHandlers.ofString());
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

    private static HttpRequest.Builder post(URI address, String merchant, Map<String, Object> body) {
        return HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20))
                .header("Authorization", "Bearer " + TOKENS.get(merchant)).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(PaymentJson.write(body)));
    }

    List<Told> told() {
        return List.copyOf(told);
    }
}
