// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.outside;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.sandbox.mail.Letter;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The mail server and all mailboxes behind it. Only the strand that has the turn may call it. */
public final class MailRoom {

    /** How the server behaves. */
    public enum Mood {
        WELL,
        /** No connection. */
        REFUSES,
        /** Says nothing any more, at any command. */
        HANGS,
        /** Greets with 421. */
        IS_SHUTTING_DOWN,
        /** Says 451 to a recipient. */
        TRY_LATER,
        /** Takes nothing from us, and says so at the recipient, as Postfix does by default. */
        REFUSES_US,
        /** Says 550 to a recipient. */
        NO_SUCH_MAILBOX,
        /** Says that it has a message, and loses it. */
        FORGETS,
        /** Goes away in the middle of a message. */
        CLOSES_IN_DATA,
        /** Goes away at the end of a message, which it has taken. */
        DIES_AFTER_DATA,
        /** Goes away at the end of a message, and loses it. */
        DIES_WITH_DATA
    }

    private static final double TROUBLE = 0.15;
    /** A sender that is new to a mailbox gets through at its last try at the latest. */
    private static final Duration GREY = Duration.ofSeconds(1);
    /** Every message has more. */
    private static final int MOST_LINES_BEFORE_IT_CLOSES = 5;

    private static MailRoom current;

    private Mood mood = Mood.WELL;
    private boolean unkind;
    private boolean greylists;
    /** When a sender first wrote to a recipient, of both. */
    private final Map<String, Long> known = new HashMap<>();
    private final List<ArrivalEvidence.Mail> kept = new ArrayList<>();
    /** What it has said it has, and has not. */
    private final Set<String> forgotten = new LinkedHashSet<>();

    public void enter() {
        current = this;
    }

    public static MailRoom it() {
        return current;
    }

    public List<ArrivalEvidence.Mail> kept() {
        return kept;
    }

    /** What customers miss, although it was called sent. */
    public List<String> forgotten() {
        return List.copyOf(forgotten);
    }

    /** For good: who writes to a recipient for the first time is told to come again a little later, by the sender's address. */
    public void greylist(boolean does) {
        greylists = does;
    }

    /** Whether single connections meet another mood than the server's own. */
    public void unkind(boolean isUnkind) {
        unkind = isUnkind;
    }

    public void mood(Mood chosen) {
        mood = chosen;
    }

    public void allWell() {
        unkind = false;
        mood = Mood.WELL;
    }

    public static Mood anyTrouble(Kernel kernel) {
        return Mood.values()[1 + kernel.random().nextInt(Mood.values().length - 1)];
    }

    /** Of one command. */
    Mood mood() {
        Kernel kernel = Kernel.it();
        return unkind && kernel.chance(TROUBLE) ? anyTrouble(kernel) : mood;
    }

    private boolean isNew(String sender, String recipient) {
        Kernel kernel = Kernel.it();
        long first = known.computeIfAbsent(sender + " to " + recipient, unseen -> kernel.now());
        return greylists && kernel.now() - first < GREY.toNanos() / 1_000;
    }

    private void keep(String recipient, byte[] message, boolean forgets) {
        try {
            Letter letter = Letter.of(new MimeMessage(null, new ByteArrayInputStream(message)));
            String id = letter.id().replaceAll("^<|@.*$", "");
            if (forgets) {
                forgotten.add(id);
            } else {
                forgotten.remove(id);
                kept.add(new ArrivalEvidence.Mail(id, recipient, letter.text()));
            }
        } catch (MessagingException e) {
            throw new IllegalStateException("Bug! A receipt cannot be read", e);
        }
    }

    /** One connection's talk: a line in, an answer out. */
    final class Talk {

        private static final String END = ".";

        private final StringBuilder line = new StringBuilder();
        private final StringBuilder message = new StringBuilder();
        private String sender = "";
        private String recipient = "";
        private boolean data;
        /** How many lines of the message it still hears; fewer than none hears all. */
        private int patience;
        private boolean brokenOff;

        /** What the server says; empty says nothing. */
        interface Answer {
            void say(String line);

            /** The connection is gone. */
            void leave();
        }

        void begin(Answer answer) {
            answer.say(mood == Mood.IS_SHUTTING_DOWN ? "421 shutting down" : "220 mail.example");
        }

        void hear(byte[] bytes, int from, int count, Answer answer) {
            for (int i = from; i < from + count && !brokenOff; i++) {
                line.append((char) (bytes[i] & 0xff));
                if (bytes[i] == '\n') {
                    String whole = line.toString().stripTrailing();
                    line.setLength(0);
                    hear(whole, answer);
                }
            }
        }

        private void hear(String whole, Answer answer) {
            if (data) {
                hearOfMessage(whole, answer);
                return;
            }
            Mood now = mood();
            if (now != Mood.WELL) {
                Kernel.it().note("the mail server " + now);
            }
            if (now == Mood.HANGS) {
                return;
            }
            switch (whole.substring(0, Math.min(4, whole.length())).toUpperCase(Locale.ROOT)) {
                case "MAIL" -> {
                    sender = address(whole);
                    answer.say("250 OK");
                }
                case "RCPT" -> {
                    recipient = address(whole);
                    answer.say(switch (now) {
                        case REFUSES_US -> "554 5.7.1 relay access denied";
                        case NO_SUCH_MAILBOX -> "550 no such mailbox";
                        case TRY_LATER -> "451 try later";
                        case WELL, REFUSES, HANGS, IS_SHUTTING_DOWN, FORGETS, CLOSES_IN_DATA, DIES_AFTER_DATA, DIES_WITH_DATA -> greeting();
                    });
                }
                case "DATA" -> {
                    data = true;
                    patience = now == Mood.CLOSES_IN_DATA ? Kernel.it().random().nextInt(MOST_LINES_BEFORE_IT_CLOSES) : -1;
                    message.setLength(0);
                    answer.say("354 go on");
                }
                case "QUIT" -> {
                    answer.say("221 bye");
                    answer.leave();
                }
                default -> answer.say("250 OK");
            }
        }

        boolean isBrokenOff() {
            return brokenOff;
        }

        private static String address(String command) {
            return command.substring(command.indexOf('<') + 1, command.indexOf('>'));
        }

        private String greeting() {
            if (isNew(sender, recipient)) {
                Kernel.it().note("a mailbox is greylisted");
                return "451 4.7.1 greylisted, come again later";
            }
            return "250 OK";
        }

        private void hearOfMessage(String whole, Answer answer) {
            if (patience == 0) {
                brokenOff = true;
                Kernel.it().note("the mail server " + Mood.CLOSES_IN_DATA);
                answer.leave();
                return;
            }
            patience--;
            if (!whole.equals(END)) {
                message.append(whole.startsWith(END) ? whole.substring(1) : whole).append("\r\n");
                return;
            }
            data = false;
            Mood now = mood();
            if (now != Mood.DIES_WITH_DATA) {
                keep(recipient, message.toString().getBytes(StandardCharsets.ISO_8859_1), now == Mood.FORGETS);
            }
            if (now == Mood.DIES_WITH_DATA || now == Mood.DIES_AFTER_DATA) {
                Kernel.it().note("the mail server " + now);
                answer.leave();
            } else if (now != Mood.HANGS) {
                answer.say("250 OK taken");
            }
        }
    }
}
