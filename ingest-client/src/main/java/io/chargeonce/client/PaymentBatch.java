// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Payments that are sent together. Those whose answer was lost or may still change are sent together again, with the same keys and after
 * the client's pauses. One thread sends; any thread may read what was answered.
 */
public final class PaymentBatch {

    private final PaymentClient client;
    private final List<NewPayment> payments = new ArrayList<>();
    private final Map<NewPayment, Sent> answers = new ConcurrentHashMap<>();
    private final Map<NewPayment, Doubt> doubts = new HashMap<>();

    PaymentBatch(PaymentClient client) {
        this.client = client;
    }

    public PaymentBatch add(NewPayment payment) {
        payments.add(payment);
        return this;
    }

    /**
     * Sends the payments that were added since the last time. The answers are in the order of the payments.
     *
     * @throws InterruptedException if the thread is interrupted; the batch keeps its payments and {@link #answered()}, and sending
     *                              it again sends only those without an answer
     */
    public List<Sent> send() throws InterruptedException {
        List<NewPayment> open = open();
        for (int sends = 1; !open.isEmpty(); sends++) {
            var round = new Round(sends);
            for (boolean guarded : List.of(true, false)) {
                round.send(open.stream().filter(payment -> payment.guarded() == guarded).toList(), guarded);
            }
            if (sends == client.retries().most()) {
                open.forEach(payment -> answers.putIfAbsent(payment, new Sent.Unknown(round.why, round.sends)));
            }
            open = open();
            if (!open.isEmpty()) {
                Thread.sleep(client.retries().pause(sends, round.retryAfter, ThreadLocalRandom.current()));
            }
        }
        List<Sent> all = payments.stream().map(answers::get).toList();
        payments.clear();
        answers.clear();
        doubts.clear();
        return all;
    }

    /** What is known so far of payments whose sending was interrupted; empty after a sending that was not. */
    public Map<NewPayment, Sent> answered() {
        return Map.copyOf(answers);
    }

    private List<NewPayment> open() {
        return payments.stream().filter(payment -> !answers.containsKey(payment)).toList();
    }

    private Doubt doubt(NewPayment payment) {
        return doubts.computeIfAbsent(payment, first -> new Doubt());
    }

    /** One sending of all that have no final answer yet. */
    private final class Round {
        private final int sends;
        private String why = "the answers ended before all were there";
        private Optional<Duration> retryAfter = Optional.empty();

        Round(int sends) {
            this.sends = sends;
        }

        /** If the connection breaks, the answers before count. The rest is sent again, whether or not it had arrived. */
        void send(List<NewPayment> open, boolean guarded) throws InterruptedException {
            if (open.isEmpty()) {
                return;
            }
            var body = new ByteArrayOutputStream();
            open.forEach(payment -> body.writeBytes(Wire.line(payment)));
            var answer = new BatchAnswer(open);
            try {
                Answers.lines(client.http(), client.request("/v1/payments/batch", "application/x-ndjson", guarded)
                        .POST(BodyPublishers.ofByteArray(body.toByteArray())).build(), client.patience(), answer::head, answer::line);
                answer.end();
            } catch (IOException broken) {
                why = Doubt.inWords(broken);
                answer.unanswered().forEach(payment -> doubt(payment).failed(broken));
            } catch (InterruptedException | RuntimeException e) {
                answer.unanswered().forEach(payment -> doubt(payment).arises("the sending stopped before the answer"));
                throw e;
            }
        }

        private void waitFor(Optional<Duration> asked) {
            retryAfter = Stream.concat(retryAfter.stream(), asked.stream()).max(Comparator.naturalOrder());
        }

        /** Reads the answer to a batch, line by line if the server took the batch. */
        private final class BatchAnswer {
            private final List<NewPayment> open;
            private final Set<NewPayment> mayChange = new HashSet<>();
            private final StringBuilder refusal = new StringBuilder();
            private int status;
            private int lines;

            BatchAnswer(List<NewPayment> open) {
                this.open = open;
            }

            void head(ResponseInfo head) {
                status = head.statusCode();
                if (status != 200) {
                    waitFor(PaymentClient.retryAfter(head.headers()));
                }
            }

            void line(String line) throws IOException {
                if (status != 200) {
                    refusal.append(line).append('\n');
                    return;
                }
                Wire.AnswerLine read = Wire.answerLine(line, ++lines, open.size());
                take(open.get(read.payment()), read.answer());
                waitFor(read.retryAfter());
            }

            /** Either the server took none of them, for example for a wrong token, or it ended before it had answered all. */
            void end() {
                if (status == 200) {
                    unanswered().forEach(payment -> doubt(payment).arises(why));
                } else {
                    var answer = new Wire.Answer(status, refusal.toString().getBytes(StandardCharsets.UTF_8), false, Optional.empty());
                    open.forEach(payment -> take(payment, answer));
                }
            }

            private void take(NewPayment payment, Wire.Answer answer) {
                if (answer.leavesDoubt()) {
                    doubt(payment).arises(answer.inWords());
                }
                if (answer.mayChange()) {
                    why = answer.inWords();
                    mayChange.add(payment);
                } else {
                    answers.putIfAbsent(payment, doubt(payment).judge(answer, sends));
                }
            }

            List<NewPayment> unanswered() {
                return open.stream().filter(payment -> !answers.containsKey(payment) && !mayChange.contains(payment)).toList();
            }
        }
    }
}
