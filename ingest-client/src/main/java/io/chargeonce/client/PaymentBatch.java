package io.chargeonce.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Payments that are sent together, and those of them together again whose answer may still change or got lost, under the same
 * keys and with the client's pauses in between. One thread.
 */
public final class PaymentBatch {

    private static final Duration LONGEST_BATCH = Duration.ofMinutes(10);

    private final PaymentClient client;
    private final List<NewPayment> payments = new ArrayList<>();

    PaymentBatch(PaymentClient client) {
        this.client = client;
    }

    public PaymentBatch add(NewPayment payment) {
        payments.add(payment);
        return this;
    }

    /** Sends what was added since the last time; the answers come in the order of the payments. */
    public List<Sent> send() throws InterruptedException {
        List<NewPayment> sending = List.copyOf(payments);
        payments.clear();
        var answers = new HashMap<NewPayment, Sent>();
        List<NewPayment> open = sending;
        for (int sends = 1; !open.isEmpty(); sends++) {
            var round = new Round(sends, answers);
            for (boolean guarded : List.of(true, false)) {
                round.send(open.stream().filter(payment -> payment.guarded() == guarded).toList(), guarded);
            }
            if (sends == client.retries().most()) {
                open.forEach(payment -> answers.putIfAbsent(payment, new Sent.Unknown(round.why, round.sends)));
            }
            open = open.stream().filter(payment -> !answers.containsKey(payment)).toList();
            if (!open.isEmpty()) {
                Thread.sleep(client.retries().pause(sends, round.retryAfter, ThreadLocalRandom.current()));
            }
        }
        return sending.stream().map(answers::get).toList();
    }

    /** One sending of all that have no final answer yet. */
    private final class Round {
        private final int sends;
        private final Map<NewPayment, Sent> answers;
        private String why = "the answers ended before all were there";
        private Optional<Duration> retryAfter = Optional.empty();

        Round(int sends, Map<NewPayment, Sent> answers) {
            this.sends = sends;
            this.answers = answers;
        }

        /** Where the connection breaks, the answers before it count; the rest is sent again, whether or not it had arrived. */
        void send(List<NewPayment> open, boolean guarded) throws InterruptedException {
            if (open.isEmpty()) {
                return;
            }
            var body = new ByteArrayOutputStream();
            open.forEach(payment -> body.writeBytes(Wire.line(payment)));
            try {
                HttpResponse<Stream<String>> answer = client.http().send(
                        client.request("/v1/payments/batch", "application/x-ndjson", guarded).timeout(LONGEST_BATCH)
                                .POST(BodyPublishers.ofByteArray(body.toByteArray())).build(), BodyHandlers.ofLines());
                try (Stream<String> lines = answer.body()) {
                    if (answer.statusCode() == 200) {
                        lines.forEach(line -> line(line, open));
                    } else {
                        whole(new Wire.Answer(answer.statusCode(), String.join("\n", lines.toList()).getBytes(StandardCharsets.UTF_8), false), open);
                        waitFor(PaymentClient.retryAfter(answer));
                    }
                }
            } catch (IOException | RuntimeException broken) {
                why = "no answer: " + broken;
            }
        }

        private void line(String line, List<NewPayment> open) {
            Wire.Answer answer = Wire.answerOfLine(line);
            if (answer.mayChange()) {
                why = told(answer);
                waitFor(Wire.retryAfterOfLine(line));
            } else {
                answers.putIfAbsent(open.get(Wire.numberOfLine(line) - 1), answer.sent(sends));
            }
        }

        /** The server took none of them: for a wrong token, say. */
        private void whole(Wire.Answer answer, List<NewPayment> open) {
            why = told(answer);
            if (!answer.mayChange()) {
                open.forEach(payment -> answers.putIfAbsent(payment, answer.sent(sends)));
            }
        }

        private static String told(Wire.Answer answer) {
            return "the server answered " + answer.status() + " " + answer.type();
        }

        private void waitFor(Optional<Duration> asked) {
            retryAfter = Stream.concat(retryAfter.stream(), asked.stream()).max(Comparator.naturalOrder());
        }
    }
}
