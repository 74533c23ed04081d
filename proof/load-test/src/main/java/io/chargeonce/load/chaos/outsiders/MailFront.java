// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.outsiders;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Stands before a real mail server and passes on what both say, but for what it is told to do otherwise. Any thread. */
final class MailFront implements AutoCloseable {

    enum Mood {
        WELL,
        /** Accepts a connection and closes it. */
        TURNS_AWAY,
        /** Says nothing, at any command. */
        HANGS,
        /** Says 421 in place of a greeting. */
        IS_SHUTTING_DOWN,
        /** Says 451 to a recipient. */
        TRY_LATER,
        /** Says 550 to our address. */
        REFUSES_US,
        /** Says to a recipient that it passes on nothing for us, as Postfix does by default. */
        REFUSES_RELAY,
        /** Says 550 to a recipient. */
        NO_SUCH_MAILBOX,
        /** Says 451 to a recipient whom our sender's address is new to, for a moment. */
        GREYLISTS,
        /** Says that it has a message, and loses it. */
        FORGETS,
        /** The connection is gone in the middle of a message. */
        CLOSES_IN_DATA,
        /** The server has the message, and the connection is gone before it says so. */
        DIES_AFTER_DATA,
        /** The connection is gone with the message. */
        DIES_WITH_DATA
    }

    private static final int LONGEST_HANG_SECONDS = 20;
    private static final long GREY_NANOS = 400_000_000;
    private static final int LINES_BEFORE_IT_CLOSES = 3;
    private static final Pattern ID = Pattern.compile("(?im)^Message-ID:\\s*<([^@>]*)");

    private final int server;
    private final ServerSocket door;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    /** When a sender first wrote to a recipient, of both. */
    private final Map<String, Long> known = new ConcurrentHashMap<>();
    private final Set<String> forgotten = ConcurrentHashMap.newKeySet();
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile Mood mood = Mood.WELL;

    /** @param server the port of the real one */
    MailFront(int server) {
        this.server = server;
        try {
            this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().name("mail-front").start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** What it has said it has, and has not, by the part of its Message-ID before the at sign. */
    Set<String> forgotten() {
        return Set.copyOf(forgotten);
    }

    void mood(Mood chosen) {
        mood = chosen;
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client; var upstream = new Socket(InetAddress.getLoopbackAddress(), server)) {
            if (mood == Mood.TURNS_AWAY) {
                return;
            }
            if (mood == Mood.IS_SHUTTING_DOWN) {
                say(client, "421 shutting down");
                return;
            }
            var commands = reader(client);
            var answers = reader(upstream);
            passOn(answers, client);
            String sender = "";
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                Mood now = mood;
                String verb = line.substring(0, Math.min(4, line.length())).toUpperCase(Locale.ROOT);
                if (now == Mood.HANGS) {
                    hang();
                    return;
                }
                sender = verb.equals("MAIL") ? line : sender;
                if (verb.equals("RCPT") && now == Mood.GREYLISTS && isNew(sender + " " + line)) {
                    say(client, "451 4.7.1 greylisted, come again later");
                } else if (verb.equals("DATA")) {
                    // The real one hears of a message that is whole. Each that broke off would be an exception of its own there.
                    say(client, "354 go on");
                    if (!message(commands, answers, client, upstream)) {
                        return;
                    }
                } else if (!refused(client, verb, now)) {
                    say(upstream, line);
                    passOn(answers, client);
                }
            }
        } catch (IOException gone) {
            return;
        } finally {
            open.remove(client);
        }
    }

    private boolean isNew(String who) {
        return System.nanoTime() - known.computeIfAbsent(who, unseen -> System.nanoTime()) < GREY_NANOS;
    }

    private static boolean refused(Socket client, String verb, Mood now) throws IOException {
        String refusal = switch (now) {
            case REFUSES_US -> verb.equals("MAIL") ? "550 not from you" : "";
            case REFUSES_RELAY -> verb.equals("RCPT") ? "554 5.7.1 relay access denied" : "";
            case TRY_LATER -> verb.equals("RCPT") ? "451 try later" : "";
            case NO_SUCH_MAILBOX -> verb.equals("RCPT") ? "550 no such mailbox" : "";
            case WELL, TURNS_AWAY, HANGS, IS_SHUTTING_DOWN, GREYLISTS, FORGETS, CLOSES_IN_DATA, DIES_AFTER_DATA, DIES_WITH_DATA -> "";
        };
        if (!refusal.isEmpty()) {
            say(client, refusal);
        }
        return !refusal.isEmpty();
    }

    /** Returns whether the connection goes on. */
    private boolean message(BufferedReader commands, BufferedReader answers, Socket client, Socket upstream) throws IOException {
        var body = new StringBuilder();
        String line = commands.readLine();
        for (int lines = 0; line != null && !line.equals("."); lines++) {
            if (lines == LINES_BEFORE_IT_CLOSES && mood == Mood.CLOSES_IN_DATA) {
                return false;
            }
            body.append(line).append("\r\n");
            line = commands.readLine();
        }
        Mood now = mood;
        if (line == null || now == Mood.DIES_WITH_DATA) {
            return false;
        }
        var id = ID.matcher(body);
        String named = id.find() ? id.group(1) : "";
        if (now == Mood.FORGETS) {
            forgotten.add(named);
            say(client, "250 taken");
            return false;
        }
        say(upstream, "DATA");
        answers.readLine();
        say(upstream, body + ".");
        if (now == Mood.DIES_AFTER_DATA) {
            answers.readLine();
            return false;
        }
        passOn(answers, client);
        forgotten.remove(named);
        return true;
    }

    private static String passOn(BufferedReader answers, Socket client) throws IOException {
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

    private void hang() {
        try {
            end.await(LONGEST_HANG_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void say(Socket to, String line) throws IOException {
        to.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        to.getOutputStream().flush();
    }

    private static BufferedReader reader(Socket from) throws IOException {
        return new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.ISO_8859_1));
    }

    @Override
    public void close() {
        end.countDown();
        try {
            door.close();
            for (Socket each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
