// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.sandbox.mail.SandboxMail;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Between the service and a real mail server: it answers itself where a test says so, by recipient. */
final class FaultyMail implements AutoCloseable {

    sealed interface Fault {
        /** At RCPT. */
        record Recipient(int code) implements Fault {}

        /** At RCPT, with the server's own words. */
        record Policy(String line) implements Fault {}

        /** After the message, which the server does not get. */
        record Message(int code) implements Fault {}

        /** The server takes the message, and its answer is lost with the connection. */
        record AnswerLost() implements Fault {}

        /** No answer at all to RCPT. */
        record Hangs() implements Fault {}

        /** An answer to RCPT, a byte at a time, which never ends. */
        record Drips() implements Fault {}
    }

    private final SandboxMail mail;
    private final ServerSocket door;
    private final Map<String, Deque<Fault>> faults = new ConcurrentHashMap<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch end = new CountDownLatch(1);
    final AtomicInteger connections = new AtomicInteger();
    /** Answers all MAIL commands, while it is not 0. */
    volatile int refusesSender;
    /** Answers all RCPT commands, while it is not empty: as a server does that says only there what it has against us. */
    volatile String refusesRelay = "";

    FaultyMail(SandboxMail mail) {
        this.mail = mail;
        try {
            this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    void with(String recipient, Fault... inTurn) {
        faults.computeIfAbsent(recipient, address -> new ConcurrentLinkedDeque<>()).addAll(List.of(inTurn));
    }

    /** How many of them have not happened. */
    int left(String recipient) {
        return faults.get(recipient).size();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                open.add(client);
                connections.incrementAndGet();
                Thread.ofPlatform().daemon().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client; var server = new Socket(InetAddress.getLoopbackAddress(), mail.port())) {
            var commands = reader(client);
            var answers = reader(server);
            answer(answers, client);
            String recipient = "";
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String verb = line.length() < 4 ? line : line.substring(0, 4).toUpperCase(Locale.ROOT);
                if (verb.equals("MAIL") && refusesSender != 0) {
                    say(client, refusesSender + " not from you");
                    continue;
                }
                if (verb.equals("RCPT")) {
                    recipient = line.substring(line.indexOf('<') + 1, line.indexOf('>'));
                    if (atRecipient(recipient, client)) {
                        continue;
                    }
                }
                if (verb.equals("DATA") && next(recipient) instanceof Fault.Message refuses) {
                    faults.get(recipient).remove();
                    say(client, "354 go on");
                    body(commands);
                    say(client, refuses.code() + " not this message for " + recipient);
                    continue;
                }
                say(server, line);
                if (answer(answers, client).startsWith("354")) {
                    say(server, body(commands) + ".");
                    if (next(recipient) instanceof Fault.AnswerLost) {
                        answers.readLine();
                        faults.get(recipient).remove();
                        return;
                    }
                    answer(answers, client);
                }
            }
        } catch (IOException | InterruptedException gone) {
            return;
        } finally {
            open.remove(client);
        }
    }

    /** Returns true if that was the answer. */
    private boolean atRecipient(String recipient, Socket client) throws IOException, InterruptedException {
        if (!refusesRelay.isEmpty()) {
            say(client, refusesRelay.replace("RECIPIENT", recipient));
            return true;
        }
        switch (next(recipient)) {
            case Fault.Policy refuses -> {
                faults.get(recipient).remove();
                say(client, refuses.line());
                return true;
            }
            case Fault.Recipient refuses -> {
                faults.get(recipient).remove();
                say(client, "%d 5.1.1 <%s>: no such mailbox".formatted(refuses.code(), recipient));
                return true;
            }
            case Fault.Hangs hangs -> {
                faults.get(recipient).remove();
                end.await();
                return true;
            }
            case Fault.Drips drips -> {
                faults.get(recipient).remove();
                client.getOutputStream().write("250-".getBytes(StandardCharsets.ISO_8859_1));
                while (!end.await(20, TimeUnit.MILLISECONDS)) {
                    client.getOutputStream().write('.');
                }
                return true;
            }
            case null, default -> {
                return false;
            }
        }
    }

    private static String body(BufferedReader commands) throws IOException {
        var body = new StringBuilder();
        for (String line = commands.readLine(); line != null && !line.equals("."); line = commands.readLine()) {
            body.append(line).append("\r\n");
        }
        return body.toString();
    }

    private Fault next(String recipient) {
        return faults.getOrDefault(recipient, new ConcurrentLinkedDeque<>()).peek();
    }

    private static String answer(BufferedReader answers, Socket client) throws IOException {
        while (true) {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("the server has gone");
            }
            say(client, line);
            if (line.length() < 4 || line.charAt(3) != '-') {
                return line;
            }
        }
    }

    private static void say(Socket to, String line) throws IOException {
        OutputStream out = to.getOutputStream();
        out.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private static BufferedReader reader(Socket from) throws IOException {
        return new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.ISO_8859_1));
    }

    @Override
    public void close() throws IOException {
        end.countDown();
        door.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
