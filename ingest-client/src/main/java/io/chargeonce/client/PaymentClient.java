// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Sends payments until each is accepted or refused for good. Every repeat has the same key and the same bytes, so it is safe even if the
 * answer to the first was lost. It repeats after no answer, 408, 409 in use, 429 and 5xx; other answers would not change. A payment is
 * called refused only if no sending of it can have been accepted. Any thread may send.
 *
 * <pre>{@code
 * try (PaymentClient client = new PaymentClient(URI.create("http://127.0.0.1:8080"), "test_acme", Retries.USUAL)) {
 *     Sent sent = client.send(NewPayment.of("order-1001-charge", 1299, "EUR", "pm_card_visa"));
 * }
 * }</pre>
 */
public final class PaymentClient implements AutoCloseable {

    private static final String METHODS = "/v1/payment_methods";

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5)).sslParameters(Encryption.modern()).build();
    private final URI server;
    private final String token;
    private final Retries retries;
    private final Patience patience;

    /** @param server its scheme, host and port */
    public PaymentClient(URI server, String token, Retries retries) {
        this(server, token, retries, Patience.USUAL);
    }

    public PaymentClient(URI server, String token, Retries retries, Patience patience) {
        this.server = server;
        this.token = token;
        this.retries = retries;
        this.patience = patience;
    }

    /**
     * Returns when there is a final answer or all sends are used up.
     *
     * @throws InterruptedException if the thread is interrupted; the payment may have been accepted, as with {@link Sent.Unknown}
     */
    public Sent send(NewPayment payment) throws InterruptedException {
        return send(request("/v1/payments", "application/json", payment.guarded()).header("Idempotency-Key", payment.key())
                .POST(BodyPublishers.ofByteArray(Wire.body(payment))).build());
    }

    /** The same for a refund. Its payment and reference do what a key does for a payment. */
    public Sent refund(NewRefund refund) throws InterruptedException {
        return send(request("/v1/payments/" + refund.payment() + "/refunds", "application/json", true)
                .POST(BodyPublishers.ofByteArray(Wire.body(refund))).build());
    }

    /**
     * Cancels a payment. {@link Sent.Accepted} says {@code canceled}, or {@code canceling} while it is not known whether an attempt has
     * charged it. A payment that is charged or declined already is refused.
     *
     * @param payment its id
     * @param reason  why, for the operator's audit log
     */
    public Sent cancel(String payment, Optional<String> reason) throws InterruptedException {
        return send(request("/v1/payments/" + encoded(payment) + "/cancel", "application/json", true)
                .POST(BodyPublishers.ofByteArray(Wire.cancel(reason))).build());
    }

    /** The same for a payment method. Its id is the accepted one's; its status says nothing. */
    public Sent store(NewPaymentMethod method) throws InterruptedException {
        return send(request(METHODS, "application/json", true).header("Idempotency-Key", method.key())
                .POST(BodyPublishers.ofByteArray(Wire.body(method))).build());
    }

    private Sent send(HttpRequest request) throws InterruptedException {
        var doubt = new Doubt();
        for (int sends = 1;; sends++) {
            Seen seen = once(request, doubt);
            if (seen instanceof Seen.Final last) {
                return doubt.judge(last.answer(), sends);
            }
            Seen.Again again = (Seen.Again) seen;
            if (sends == retries.most()) {
                return new Sent.Unknown(again.why(), sends);
            }
            Thread.sleep(retries.pause(sends, again.retryAfter(), ThreadLocalRandom.current()));
        }
    }

    /**
     * The payment as it stands now; empty if this merchant has none of that id.
     *
     * @param payment its id
     * @throws ReadFailed if there was no useful answer, however often it was asked for
     */
    public Optional<Payment> find(String payment) throws ReadFailed, InterruptedException {
        return get("/v1/payments/" + encoded(payment));
    }

    /** The same for what was sent under this key; empty if nothing was accepted under it. */
    public Optional<Payment> findByKey(String key) throws ReadFailed, InterruptedException {
        return get("/v1/payments?idempotency_key=" + encoded(key));
    }

    /**
     * Waits for the end of a payment and asks ever more rarely, up to the longest pause.
     *
     * @param most after this time the payment is returned as it stands then
     * @return empty if this merchant has no payment of that id
     * @throws ReadFailed if there was no useful answer, however often it was asked for
     */
    public Optional<Payment> await(String payment, Duration most) throws ReadFailed, InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        for (int looks = 1;; looks++) {
            Optional<Payment> seen = find(payment);
            Duration pause = retries.pause(looks, Optional.empty(), ThreadLocalRandom.current());
            if (seen.map(Payment::hasEnded).orElse(true) || System.nanoTime() + pause.toNanos() - end >= 0) {
                return seen;
            }
            Thread.sleep(pause);
        }
    }

    /**
     * A stored payment method as it stands now; empty if this merchant has none of that id.
     *
     * @throws ReadFailed if there was no useful answer, however often it was asked for
     */
    public Optional<PaymentMethod> findMethod(String id) throws ReadFailed, InterruptedException {
        return ask("GET", METHODS + "/" + encoded(id), Wire.Answer::method).stream().findFirst();
    }

    /** Those of a customer that are not detached, the newest first, at most a hundred. */
    public List<PaymentMethod> methodsOf(String customer) throws ReadFailed, InterruptedException {
        return ask("GET", METHODS + "?customer=" + encoded(customer), Wire.Answer::method);
    }

    /** Ends it, and deletes its tokens; doing it again changes nothing. Empty if this merchant has none of that id. */
    public Optional<PaymentMethod> detach(String id) throws ReadFailed, InterruptedException {
        return ask("DELETE", METHODS + "/" + encoded(id), Wire.Answer::method).stream().findFirst();
    }

    /**
     * Asks once whether the server is there and knows the token, whatever its scopes are.
     *
     * @throws ReadFailed if not; the message says what stood in the way
     */
    public void check() throws ReadFailed, InterruptedException {
        Wire.Answer answer;
        try {
            answer = Wire.answer(Answers.whole(http, read("GET", "/v1/payments?idempotency_key=check"), patience.answer()));
        } catch (IOException e) {
            throw new ReadFailed(Doubt.inWords(e));
        }
        if (!answer.knowsToken()) {
            throw new ReadFailed(answer.inWords());
        }
    }

    private Optional<Payment> get(String path) throws ReadFailed, InterruptedException {
        return ask("GET", path, Wire.Answer::payment).stream().findFirst();
    }

    private <T> List<T> ask(String method, String path, Function<JsonNode, T> read) throws ReadFailed, InterruptedException {
        HttpRequest request = read(method, path);
        for (int asks = 1;; asks++) {
            String why;
            Optional<Duration> retryAfter = Optional.empty();
            try {
                HttpResponse<byte[]> response = Answers.whole(http, request, patience.answer());
                Wire.Answer answer = Wire.answer(response);
                Optional<List<T>> found = answer.found(read);
                if (found.isPresent()) {
                    return found.get();
                }
                why = answer.inWords();
                if (!answer.isOfTheMoment()) {
                    throw new ReadFailed(why);
                }
                retryAfter = retryAfter(response.headers());
            } catch (IOException e) {
                why = Doubt.inWords(e);
            }
            if (asks == retries.most()) {
                throw new ReadFailed(why);
            }
            Thread.sleep(retries.pause(asks, retryAfter, ThreadLocalRandom.current()));
        }
    }

    private HttpRequest read(String method, String path) {
        return HttpRequest.newBuilder(server.resolve(path)).header("Authorization", "Bearer " + token)
                .method(method, BodyPublishers.noBody()).build();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Gathers payments and sends them many at a time. */
    public PaymentBatch batch() {
        return new PaymentBatch(this);
    }

    /** What one sending showed. */
    private sealed interface Seen {
        record Final(Wire.Answer answer) implements Seen {}

        record Again(String why, Optional<Duration> retryAfter) implements Seen {}
    }

    private Seen once(HttpRequest request, Doubt doubt) throws InterruptedException {
        try {
            HttpResponse<byte[]> answer = Answers.whole(http, request, patience.answer());
            Wire.Answer read = Wire.answer(answer);
            if (read.leavesDoubt()) {
                doubt.arises(read.inWords());
            }
            return read.mayChange() ? new Seen.Again(read.inWords(), retryAfter(answer.headers())) : new Seen.Final(read);
        } catch (IOException e) {
            doubt.failed(e);
            return new Seen.Again(Doubt.inWords(e), Optional.empty());
        }
    }

    static Optional<Duration> retryAfter(HttpHeaders headers) {
        return headers.firstValue("Retry-After").flatMap(text -> RetryAfter.parse(text, Instant.now()));
    }

    HttpRequest.Builder request(String path, String contentType, boolean guarded) {
        var request = HttpRequest.newBuilder(server.resolve(path))
                .header("Authorization", "Bearer " + token).header("Content-Type", contentType);
        return guarded ? request : request.header("Duplicate-Guard", "off");
    }

    Retries retries() {
        return retries;
    }

    Patience patience() {
        return patience;
    }

    HttpClient http() {
        return http;
    }

    @Override
    public void close() {
        http.close();
    }
}
