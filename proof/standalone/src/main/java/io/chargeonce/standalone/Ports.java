// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.sandbox.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where {@code up} listens, on 127.0.0.1; 0 takes any free port. */
final class Ports {

    private static final int HIGHEST = 65_535;

    @Option(names = "--ingest-port", defaultValue = "8080", paramLabel = "PORT",
            description = "Payments over HTTP. Default: ${DEFAULT-VALUE}. For each port, 0 takes any free one.")
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

    @Option(names = "--console-port", defaultValue = "8081", paramLabel = "PORT",
            description = "The console, in a browser. Default: ${DEFAULT-VALUE}.")
    int console;

    @Option(names = "--mail-port", defaultValue = "8025", paramLabel = "PORT",
            description = "The mail server that gets the receipts, SMTP. Default: ${DEFAULT-VALUE}.")
    int mail;

    @Option(names = "--mailbox-port", defaultValue = "8143", paramLabel = "PORT",
            description = "The same mail server, IMAP: read receipts with any password. Default: ${DEFAULT-VALUE}.")
    int mailbox;

    @Option(names = "--bank-port", defaultValue = "8022", paramLabel = "PORT",
            description = "The bank's SFTP server. Default: ${DEFAULT-VALUE}.")
    int bank;

    @Option(names = "--bank-ledger-port", defaultValue = "8093", paramLabel = "PORT",
            description = "What the bank has booked. Default: ${DEFAULT-VALUE}.")
    int bankLedger;

    /** Any free port for each, so that a demo never meets a running pipeline. */
    static Ports free() {
        return new Ports();
    }

    /** The port that the Adyen simulator must know before anything listens there. */
    int webhook() {
        if (webhook == 0) {
            webhook = anyFree();
        }
        return webhook;
    }

    private static int anyFree() {
        try (var probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What is wrong with these ports, for the person who chose them; empty if all are free. The server of Postgres that a killed run left
     * over the same directory is no problem: the start stops it.
     *
     * @param postgresData where Postgres keeps its data, if it is kept
     */
    List<String> problems(Optional<Path> postgresData) {
        var problems = new ArrayList<String>();
        var options = new LinkedHashMap<Integer, String>();
        all().forEach((option, port) -> {
            if (port < 0 || port > HIGHEST) {
                problems.add("%s is %d, but a port is a number from 0 to %d".formatted(option, port, HIGHEST));
            } else if (port != 0 && options.putIfAbsent(port, option) != null) {
                problems.add("%s and %s are both %d".formatted(options.get(port), option, port));
            }
        });
        List<String> taken = options.keySet().stream().filter(Ports::isTaken)
                .filter(port -> port != postgres || postgresData.filter(data -> PostgresServer.isLeftOver(data, port)).isEmpty())
                .map(port -> "port %d is in use: choose another with %s".formatted(port, options.get(port))).toList();
        problems.addAll(taken);
        if (taken.size() > 1) {
            problems.add("if another 'chargeonce up' is running, end it with Ctrl-C");
        }
        return problems;
    }

    private Map<String, Integer> all() {
        var all = new LinkedHashMap<String, Integer>();
        all.put("--ingest-port", ingest);
        all.put("--stripe-port", stripe);
        all.put("--adyen-port", adyen);
        all.put("--webhook-port", webhook);
        all.put("--kafka-port", kafka);
        all.put("--postgres-port", postgres);
        all.put("--admin-port", admin);
        all.put("--console-port", console);
        all.put("--mail-port", mail);
        all.put("--mailbox-port", mailbox);
        all.put("--bank-port", bank);
        all.put("--bank-ledger-port", bankLedger);
        return all;
    }

    private static boolean isTaken(int port) {
        try (var probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return false;
        } catch (IOException taken) {
            return true;
        }
    }
}
