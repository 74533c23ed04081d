package io.chargeonce.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Payments that are sent together: one request for all of them, one more for each whose answer may still change or got lost,
 * under the same key as before. One thread.
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
        Map<Integer, Sent> settled = sending.isEmpty() ? Map.of() : together(sending);
        var answers = new ArrayList<Sent>(sending.size());
        for (int i = 0; i < sending.size(); i++) {
            Sent answer = settled.get(i);
            answers.add(answer == null ? client.send(sending.get(i)) : answer);
        }
        return answers;
    }

    /** The answers that are final, by the payment's place. Where the connection breaks, those before it count. */
    private Map<Integer, Sent> together(List<NewPayment> sending) throws InterruptedException {
        var settled = new HashMap<Integer, Sent>();
        var body = new ByteArrayOutputStream();
        sending.forEach(payment -> body.writeBytes(Wire.line(payment)));
        try {
            HttpResponse<Stream<String>> answer = client.http().send(
                    client.request("/v1/payments/batch", "application/x-ndjson").timeout(LONGEST_BATCH)
                            .POST(BodyPublishers.ofByteArray(body.toByteArray())).build(), BodyHandlers.ofLines());
            try (Stream<String> lines = answer.body()) {
                if (answer.statusCode() == 200) {
                    lines.forEach(line -> settle(line, settled));
                }
            }
        } catch (IOException | RuntimeException broken) {
            // What has no answer yet is sent alone, which is safe whether or not it had arrived.
            return settled;
        }
        return settled;
    }

    private static void settle(String line, Map<Integer, Sent> settled) {
        Wire.Answer answer = Wire.answerOfLine(line);
        if (!answer.mayChange()) {
            settled.put(Wire.numberOfLine(line) - 1, answer.sent(1));
        }
    }
}
