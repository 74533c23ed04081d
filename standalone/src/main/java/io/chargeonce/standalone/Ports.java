// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import picocli.CommandLine.Option;

/** Where {@code up} listens, on 127.0.0.1; 0 takes any free port. */
final class Ports {

    @Option(names = "--ingest-port", defaultValue = "8080", paramLabel = "PORT",
            description = "Payments over HTTP. Default: ${DEFAULT-VALUE}.")
    int ingest;

    @Option(names = "--stripe-port", defaultValue = "8090", paramLabel = "PORT",
            description = "Stripe simulator. Default: ${DEFAULT-VALUE}.")
    int stripe;

    @Option(names = "--adyen-port", defaultValue = "8091", paramLabel = "PORT", description = "Adyen simulator. Default: ${DEFAULT-VALUE}.")
    int adyen;

    @Option(names = "--webhook-port", defaultValue = "8092", paramLabel = "PORT",
            description = "Where the Adyen simulator sends webhooks. Default: ${DEFAULT-VALUE}.")
    int webhook;

    @Option(names = "--kafka-port", defaultValue = "19092", paramLabel = "PORT", description = "Kafka. Default: ${DEFAULT-VALUE}.")
    int kafka;

    @Option(names = "--postgres-port", defaultValue = "15432", paramLabel = "PORT", description = "Postgres. Default: ${DEFAULT-VALUE}.")
    int postgres;

    @Option(names = "--admin-port", defaultValue = "9100", paramLabel = "PORT",
            description = "Health and metrics. Default: ${DEFAULT-VALUE}.")
    int admin;

    /** Any free port for each, so that a demo never meets a running pipeline. */
    static Ports free() {
        Ports free = new Ports();
        // The simulator is told it before anybody listens there.
        free.webhook = anyFree();
        return free;
    }

    private static int anyFree() {
        try (var probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
