// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RefundCall;
import io.chargeonce.client.NewRefund;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Sends payments in an open loop: each call has its time, kept whether or not the last one was answered, and its latency counts
 * from that time, so a stall of the server counts in the latency of each call that had to wait. One load at a time.
 */
public final class Traffic {

    /** Beyond this many unanswered calls the sender is the one that is overwhelmed. */
    public static final int MOST_OPEN = 4_000;
    private static final Duration TO_SCRIPT = Duration.ofSeconds(5);
    private static final Retries ONE_SENDING = new Retries(1, Duration.ofMillis(1), Duration.ofMillis(1));

    private final URI ingest;
    private final Optional<URI> simulator;
    private final int tries;
    private final int mostOpen;
    private final TrafficLatencies latencies = new TrafficLatencies();
    private final Consumer<ClientCall> history;
    private final Consumer<RefundCall> refunds;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5)).build();
    private final Map<TrafficMerchant, PaymentClient> clients = new ConcurrentHashMap<>();
    private volatile boolean stopped;

    /**
     * @param ingest    the ingest service's address
     * @param simulator takes the fault rules of the mix; without one only cards decide
     * @param tries     how often a call without an answer is sent, under the same key
     * @param history   told of every single call for a payment, from many threads
     * @param refunds   the same of every call for a refund
     */
    public Traffic(URI ingest, Optional<URI> simulator, int tries, Consumer<ClientCall> history, Consumer<RefundCall> refunds) {
        this(ingest, simulator, tries, history, refunds, MOST_OPEN);
    }

    Traffic(URI ingest, Optional<URI> simulator, int tries, Consumer<ClientCall> history, Consumer<RefundCall> refunds, int mostOpen) {
        this.ingest = ingest;
        this.simulator = simulator;
        this.tries = tries;
        this.history = history;
        this.refunds = refunds;
        this.mostOpen = mostOpen;
    }

    public TrafficLatencies latencies() {
        return latencies;
    }

    /** Ends a run early. */
    public void stop() {
        stopped = true;
    }

    /** Returns when the time is over and every call has its end. */
    public void run(double rate, Duration duration, Mix mix, List<TrafficMerchant> merchants, RandomGenerator random, String prefix) {
        var shopping = new Shopping(random, mix, merchants, prefix);
        var open = new Semaphore(mostOpen);
        long start = System.nanoTime();
        long calls = Math.round(rate * duration.toMillis() / 1000.0);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (long i = 0; i < calls && !stopped; i++) {
                long intended = start + Math.round(i * 1e9 / rate);
                await(intended);
                PlannedPurchase purchase = shopping.next();
                if (!open.tryAcquire()) {
                    latencies.heldBack();
                    open.acquireUninterruptibly();
                }
                threads.submit(() -> {
                    try {
                        shop(purchase, intended);
                    } finally {
                        open.release();
                    }
                });
            }
        }
        clients.values().forEach(PaymentClient::close);
        clients.clear();
    }

    private static void await(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void shop(PlannedPurchase purchase, long intended) {
        if (purchase.first()) {
            simulator.ifPresent(psp -> purchase.outcome().ruleFor(purchase.key()).ifPresent(rule -> script(psp, rule)));
        }
        for (int i = 1; i <= tries; i++) {
            ClientCall call = send(purchase);
            history.accept(call);
            if (call.result() != ClientCall.Result.UNKNOWN) {
                latencies.answered(System.nanoTime() - intended, call.result());
                call.paymentId().filter(accepted -> purchase.canceled()).ifPresent(payment -> cancel(purchase, payment));
                call.paymentId().filter(accepted -> purchase.comesBack()).ifPresent(payment -> giveBack(purchase, payment));
                return;
            }
            LockSupport.parkNanos(Duration.ofMillis(200L * i).toNanos());
        }
        latencies.unanswered();
    }

    /** The checker reads what became of it from the rows. */
    private void cancel(PlannedPurchase purchase, String payment) {
        try {
            clients.computeIfAbsent(purchase.merchant(), this::client).cancel(payment, Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Asked for twice, which is one refund; it may wait for its payment. */
    private void giveBack(PlannedPurchase purchase, String payment) {
        NewRefund half = purchase.half(payment);
        for (int i = 0; i < 2; i++) {
            Sent sent;
            try {
                sent = clients.computeIfAbsent(purchase.merchant(), this::client).refund(half);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            refunds.accept(switch (sent) {
                case Sent.Accepted accepted -> ended(half, ClientCall.Result.OK, Optional.of(accepted.paymentId()));
                case Sent.Refused refused -> ended(half, ClientCall.Result.FAIL, Optional.empty());
                case Sent.Unknown unknown -> ended(half, ClientCall.Result.UNKNOWN, Optional.empty());
            });
        }
    }

    private static RefundCall ended(NewRefund refund, ClientCall.Result result, Optional<String> id) {
        return new RefundCall(refund.payment(), refund.reference(), refund.amount(), result, id);
    }

    private ClientCall send(PlannedPurchase purchase) {
        try {
            return switch (clients.computeIfAbsent(purchase.merchant(), this::client).send(purchase.asPayment())) {
                case Sent.Accepted accepted -> purchase.ended(ClientCall.Result.OK, Optional.of(accepted.paymentId()));
                case Sent.Refused refused -> {
                    latencies.refused(refused.httpStatus(), refused.type());
                    yield purchase.ended(ClientCall.Result.FAIL, Optional.empty());
                }
                case Sent.Unknown unknown -> {
                    latencies.unclear(unknown.lastSeen());
                    yield purchase.ended(ClientCall.Result.UNKNOWN, Optional.empty());
                }
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return purchase.ended(ClientCall.Result.UNKNOWN, Optional.empty());
        }
    }

    /** Each sending is told by itself, so repeats are made here. */
    private PaymentClient client(TrafficMerchant merchant) {
        return new PaymentClient(ingest, merchant.token(), ONE_SENDING);
    }

    private void script(URI psp, String rule) {
        var request = HttpRequest.newBuilder(psp.resolve("/_sandbox/rules")).timeout(TO_SCRIPT).POST(BodyPublishers.ofString(rule)).build();
        try {
            http.send(request, BodyHandlers.discarding());
        } catch (IOException unreachable) {
            // Then this payment meets no fault of its own, which no check depends on.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
