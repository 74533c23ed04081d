// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.kafka.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Checks before a load that its target answers: so a wrong address shows at once, and not in thousands of failures. */
final class Reachable {

    private static final int PATIENCE_MILLIS = 5_000;

    private Reachable() {}

    /**
     * @param option that names the address
     * @throws UncheckedIOException if nothing listens there
     */
    static void http(String what, String option, URI address) {
        int usual = address.getScheme().equals("https") ? 443 : 80;
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort() < 0 ? usual : address.getPort()), PATIENCE_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException("%s at %s can't be reached (%s): start it, or say with %s where it is"
                    .formatted(what, address, e.getMessage(), option), e);
        }
    }

    /**
     * Looks for the ledger that only a simulator has.
     *
     * @throws UncheckedIOException     if nothing listens there
     * @throws IllegalArgumentException if it is something else
     */
    static void simulator(URI address) {
        http("the PSP's simulator", "--psp", address);
        var request = HttpRequest.newBuilder(address.resolve("/_sandbox/movements?limit=1")).timeout(Duration.ofMillis(PATIENCE_MILLIS));
        int status;
        try (var client = HttpClient.newHttpClient()) {
            status = client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException("%s does not answer as a PSP's simulator does (%s): name one with --psp"
                    .formatted(address, e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted while asking " + address, e));
        }
        if (status != 200) {
            throw new IllegalArgumentException(
                    "%s is no PSP's simulator (GET /_sandbox/movements: %d): name one with --psp; 'up' prints its two"
                            .formatted(address, status));
        }
    }

    /**
     * A typing error must not make a new topic either.
     *
     * @throws KafkaException           if Kafka does not answer
     * @throws IllegalArgumentException if there is no such topic
     */
    static void topic(KafkaConnection kafka, String topic) {
        Map<String, Object> client = kafka.clientProperties();
        client.put("default.api.timeout.ms", PATIENCE_MILLIS);
        client.put("request.timeout.ms", PATIENCE_MILLIS);
        try (Admin admin = Admin.create(client)) {
            admin.describeTopics(List.of(topic)).allTopicNames().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException || e.getCause() instanceof InvalidTopicException) {
                // Without the cause, which would look as if Kafka were out of reach.
                throw new IllegalArgumentException("there is no topic %s in %s: 'chargeonce migrate' makes those of the pipeline"
                        .formatted(topic, kafka));
            }
            throw new KafkaException("%s can't be reached (%s): start it, or say with --kafka where it is"
                    .formatted(kafka, e.getCause().getMessage()), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while looking for the topic " + topic, e);
        }
    }
}
