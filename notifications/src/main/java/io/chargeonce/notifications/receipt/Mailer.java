// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mails a receipt, once. It reads the content, with the address, just before. Any thread; each that calls has a connection of its own. */
final class Mailer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Mailer.class);
    /** A server that has taken another message so lately does not refuse us. */
    private static final Duration TAKES_MAIL = Duration.ofDays(1);

    private final ReceiptTable table;
    private final MailServer server;
    private final Letterhead letterhead;
    private final InstantSource clock;
    private final ConcurrentLinkedDeque<MailConnection> idle = new ConcurrentLinkedDeque<>();
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("receipt-deadline").factory());
    /** When the last try ended. */
    private volatile long triedAt;
    /** When the server last took a message. */
    private volatile Optional<Long> sentAt = Optional.empty();
    private volatile Optional<String> trouble = Optional.empty();

    Mailer(ReceiptTable table, MailServer server, Letterhead letterhead, InstantSource clock) {
        this.table = table;
        this.server = server;
        this.letterhead = letterhead;
        this.clock = clock;
    }

    Answer send(Receipt receipt) {
        Optional<Receipt.Content> content = table.toSend(receipt);
        if (content.isEmpty()) {
            return new Answer.Over();
        }
        Optional<Recipient> recipient = Recipient.of(content.get().recipient());
        if (recipient.isEmpty()) {
            return new Answer.Refused(OptionalInt.empty(), "no_such_address");
        }
        // The latest one first, so that the others may grow old and be closed.
        MailConnection connection = Optional.ofNullable(idle.pollFirst()).orElseGet(() -> new MailConnection(server, letterhead));
        ScheduledFuture<?> deadline = watch.schedule(connection::cut, server.timeout().toMillis(), TimeUnit.MILLISECONDS);
        Answer answer;
        try {
            answer = send(receipt, content.get(), recipient.get(), connection);
        } finally {
            deadline.cancel(false);
        }
        idle.addFirst(connection);
        triedAt = System.nanoTime();
        trouble = answer instanceof Answer.NotSent notSent ? Optional.of(problem(notSent)) : Optional.empty();
        return answer;
    }

    private Answer send(Receipt receipt, Receipt.Content content, Recipient recipient, MailConnection connection) {
        MimeMessage message;
        try {
            message = new Mail(connection.session(), letterhead).of(receipt, content, recipient, clock.instant());
        } catch (MessagingException | RuntimeException bug) {
            // Not its text: it may quote the address.
            LOG.error("Bug! Receipt {} of {} cannot be written: {}", receipt.id(), content, bug.getClass().getName());
            return new Answer.Refused(OptionalInt.empty(), "cannot_be_written");
        }
        try {
            return judged(connection.send(message, recipient));
        } catch (RuntimeException bug) {
            connection.close();
            LOG.error("Bug! Receipt {} of {} cannot be mailed: {}", receipt.id(), content, bug.getClass().getName());
            return new Answer.Failed(OptionalInt.empty(), "internal_error");
        }
    }

    /** While others are taken, what is refused as by a policy is a matter of this recipient: its tries count, and so they end. */
    private Answer judged(Answer answer) {
        if (answer instanceof Answer.Sent) {
            sentAt = Optional.of(System.nanoTime());
        }
        return answer instanceof Answer.NotSent refused && refused.error().equals(MailConnection.RELAY_REFUSED)
                && sentAt.filter(at -> System.nanoTime() - at < TAKES_MAIL.toNanos()).isPresent()
                        ? new Answer.Failed(refused.status(), refused.error()) : answer;
    }

    private String problem(Answer.NotSent notSent) {
        return switch (notSent.error()) {
            case "login_refused" -> "the mail server %s refuses the login of %s".formatted(server.address(), ReceiptSettings.USER.name());
            case "no_trusted_tls" -> "the mail server %s has no TLS that we trust: see %s and %s".formatted(server.address(),
                    ReceiptSettings.TLS.name(), ReceiptSettings.CA.name());
            case MailConnection.RELAY_REFUSED -> "the mail server %s passes on no mail from us or from %s (%d)".formatted(server.address(),
                    letterhead.from(), notSent.status().orElse(0));
            default -> "the mail server %s takes no mail from %s%s".formatted(server.address(), letterhead.from(),
                    notSent.status().isPresent() ? " (" + notSent.status().getAsInt() + ")" : "");
        };
    }

    /** Whether the mail server refused us, whatever the receipt, at the last try, and that try is no longer ago than this. */
    boolean wasRefusedWithin(Duration time) {
        return trouble.isPresent() && System.nanoTime() - triedAt < time.toNanos();
    }

    /** Why the mail server takes nothing from us, in one line; empty if it does. */
    Optional<String> problem() {
        return trouble;
    }

    @Override
    public void close() {
        watch.shutdownNow();
        for (MailConnection each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            each.close();
        }
    }
}
