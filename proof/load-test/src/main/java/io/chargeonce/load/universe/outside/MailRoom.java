// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.outside;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.sandbox.mail.Letter;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
        /** Goes away at the end of a message, which it has taken. */
        DIES_AFTER_DATA,
        /** Goes away at the end of a message, and loses it. */
        DIES_WITH_DATA
    }

    private static final double TROUBLE = 0.15;

    private static MailRoom current;

    private Mood mood = Mood.WELL;
    private boolean unkind;
    private final List<ArrivalEvidence.Mail> kept = new ArrayList<>();

    public void enter() {
        current = this;
    }

    public static MailRoom it() {
        return current;
    }

    public List<ArrivalEvidence.Mail> kept() {
        return kept;
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

    void keep(String recipient, byte[] message) {
        try {
            Letter letter = Letter.of(new MimeMessage(null, new ByteArrayInputStream(message)));
            kept.add(new ArrivalEvidence.Mail(letter.id().replaceAll("^<|@.*$", ""), recipient, letter.text()));
        } catch (MessagingException e) {
            throw new IllegalStateException("Bug! A receipt cannot be read", e);
        }
    }

    /** One connection's talk: a line in, an answer out. */
    final class Talk {

        private static final String END = ".";

        private final StringBuilder line = new StringBuilder();
        private final StringBuilder message = new StringBuilder();
        private String recipient = "";
        private boolean data;

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
            for (int i = from; i < from + count; i++) {
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
                case "MAIL" -> answer.say("250 OK");
                case "RCPT" -> {
                    recipient = whole.substring(whole.indexOf('<') + 1, whole.indexOf('>'));
                    answer.say(switch (now) {
                        case REFUSES_US -> "554 5.7.1 relay access denied";
                        case NO_SUCH_MAILBOX -> "550 no such mailbox";
                        case TRY_LATER -> "451 try later";
                        case WELL, REFUSES, HANGS, IS_SHUTTING_DOWN, DIES_AFTER_DATA, DIES_WITH_DATA -> "250 OK";
                    });
                }
                case "DATA" -> {
                    data = true;
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

        private void hearOfMessage(String whole, Answer answer) {
            if (!whole.equals(END)) {
                message.append(whole.startsWith(END) ? whole.substring(1) : whole).append("\r\n");
                return;
            }
            data = false;
            Mood now = mood();
            if (now != Mood.DIES_WITH_DATA) {
                keep(recipient, message.toString().getBytes(StandardCharsets.ISO_8859_1));
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
