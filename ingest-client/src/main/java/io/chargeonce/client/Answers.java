// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Limits the wait for a whole answer. The time limit of the JDK's client covers only the headers. Any thread. */
final class Answers {

    private Answers() {}

    static HttpResponse<byte[]> whole(HttpClient http, HttpRequest request, Duration patience) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> answer = http.sendAsync(request, BodyHandlers.ofByteArray());
        return within(patience, answer, answer);
    }

    /**
     * Passes on each line as it comes; returns after the last one.
     *
     * @param takesHead is called with the answer's head, before any line
     * @throws IOException if the connection broke, or nothing came for too long; the lines before count
     */
    static void lines(HttpClient http, HttpRequest request, Patience patience, Consumer<ResponseInfo> takesHead, TakesLine takesLine)
            throws IOException, InterruptedException {
        var head = new CompletableFuture<ResponseInfo>();
        var lines = new Lines();
        CompletableFuture<HttpResponse<Void>> answer = http.sendAsync(request, info -> {
            head.complete(info);
            return BodySubscribers.fromLineSubscriber(lines, ignored -> null, StandardCharsets.UTF_8, null);
        });
        var unused = answer.whenComplete((done, failure) -> {
            if (failure != null) {
                head.completeExceptionally(failure);
            }
        });
        try {
            takesHead.accept(within(patience.batch(), head, answer));
            for (Next next = lines.next(patience.silence()); true; next = lines.next(patience.silence())) {
                switch (next) {
                    case Next.Line line -> takesLine.take(line.text());
                    case Next.End ignored -> {
                        return;
                    }
                    case Next.Broken broken -> throw broken(broken.why());
                }
            }
        } finally {
            answer.cancel(true);
        }
    }

    private static <T> T within(Duration patience, CompletableFuture<T> wanted, CompletableFuture<?> exchange)
            throws IOException, InterruptedException {
        try {
            return wanted.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            exchange.cancel(true);
            throw new HttpTimeoutException("nothing came within " + inWords(patience));
        } catch (InterruptedException e) {
            exchange.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw broken(e.getCause());
        }
    }

    private static String inWords(Duration patience) {
        return patience.toMillis() % 1000 == 0 ? patience.toSeconds() + " s" : patience.toMillis() + " ms";
    }

    private static IOException broken(Throwable why) {
        return why instanceof ConnectException || why instanceof HttpTimeoutException ? (IOException) why
                : new IOException("the connection broke" + Optional.ofNullable(why.getMessage()).map(" (%s)"::formatted).orElse(""), why);
    }

    /** Takes one line of the answers. */
    interface TakesLine {

        /** @throws IOException if it is no answer: then the rest is not read */
        void take(String line) throws IOException;
    }

    private sealed interface Next {
        record Line(String text) implements Next {}

        record End() implements Next {}

        record Broken(Throwable why) implements Next {}
    }

    /** Unbounded: a batch has as many answers as payments, and the payments are in memory too. */
    private static final class Lines implements Flow.Subscriber<String> {
        private final BlockingQueue<Next> queue = new LinkedBlockingQueue<>();

        Next next(Duration silence) throws InterruptedException {
            Next next = queue.poll(silence.toNanos(), TimeUnit.NANOSECONDS);
            return next == null ? new Next.Broken(new HttpTimeoutException("no further line came within " + inWords(silence))) : next;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            queue.add(new Next.Line(line));
        }

        @Override
        public void onError(Throwable failure) {
            queue.add(new Next.Broken(failure));
        }

        @Override
        public void onComplete() {
            queue.add(new Next.End());
        }
    }
}
