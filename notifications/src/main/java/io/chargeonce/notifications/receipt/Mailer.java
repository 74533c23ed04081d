// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.Dispatcher;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mails receipts. It reads the content of one, with the address, just before. Any thread; each that sends has a connection of its own. */
final class Mailer implements Dispatcher.Claims<Receipt> {

    private static final Logger LOG = LoggerFactory.getLogger(Mailer.class);
    /** After a try that the server refused because of us. */
    private static final Duration QUIET = Duration.ofSeconds(15);
    /** A server that has taken another message so lately does not refuse us. */
    private static final Duration TAKES_MAIL = Duration.ofDays(1);

    private final ReceiptTable table;
    private final MailServer server;
    private final Letterhead letterhead;
    private final Semaphore free;
    private final InstantSource clock;
    private final ConcurrentLinkedDeque<MailConnection> idle = new ConcurrentLinkedDeque<>();
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("receipt-deadline").factory());
    /** When the last try ended. */
    private volatile long triedAt;
    /** When the server last took a message. */
    private volatile Optional<Long> sentAt = Optional.empty();
    private volatile Optional<String> trouble = Optional.empty();

    /** @param connections how many mails may be under way at once */
    Mailer(ReceiptTable table, MailServer server, Letterhead letterhead, int connections, InstantSource clock) {
        this.table = table;
        this.server = server;
        this.letterhead = letterhead;
        this.free = new Semaphore(connections);
        this.clock = clock;
    }

    @Override
    public int begin(BiConsumer<Receipt, Dispatcher.Slot> begin) {
        // While the server refuses us, one try shows whether it still does: many could lock our login.
        int room = trouble.isPresent() ? Math.min(1, free.availablePermits()) : free.availablePermits();
        if (room == 0 || trouble.isPresent() && System.nanoTime() - triedAt < QUIET.toNanos()) {
            return 0;
        }
        List<Receipt> claimed = table.claim(room, Dispatcher.claimOf(server.timeout()));
        for (Receipt receipt : claimed) {
            free.acquireUninterruptibly();
            begin.accept(receipt, free::release);
        }
        return claimed.size();
    }

    SendResult send(Receipt receipt) {
        Optional<Receipt.Content> content = table.toSend(receipt);
        if (content.isEmpty()) {
            return SendResult.OVER;
        }
        Optional<Recipient> recipient = Recipient.of(content.get().recipient());
        if (recipient.isEmpty()) {
            return SendResult.of(Result.REFUSED, "no_such_address");
        }
        // The latest one first, so that the others may grow old and be closed.
        MailConnection connection = Optional.ofNullable(idle.pollFirst()).orElseGet(() -> new MailConnection(server, letterhead));
        ScheduledFuture<?> deadline = watch.schedule(connection::cut, server.timeout().toMillis(), TimeUnit.MILLISECONDS);
        SendResult answer;
        try {
            answer = judged(write(receipt, content.get(), recipient.get(), connection)
                    .map(mail -> connection.send(mail, recipient.get())).orElse(SendResult.of(Result.REFUSED, "cannot_be_written")));
        } catch (RuntimeException bug) {
            connection.close();
            throw bug;
        } finally {
            deadline.cancel(false);
        }
        idle.addFirst(connection);
        triedAt = System.nanoTime();
        trouble = answer.result() == Result.NOT_SENT ? Optional.of(problem(answer)) : Optional.empty();
        trouble.ifPresent(why -> LOG.warn("{} was not mailed: {}", receipt.named(), why));
        return answer;
    }

    private Optional<MimeMessage> write(Receipt receipt, Receipt.Content content, Recipient recipient, MailConnection connection) {
        try {
            return Optional.of(new Mail(connection.session(), letterhead).of(receipt, content, recipient, clock.instant()));
        } catch (MessagingException | RuntimeException bug) {
            // Not its text: it may quote the address.
            LOG.error("Bug! {} of {} cannot be written: {}", receipt.named(), content, bug.getClass().getName());
            return Optional.empty();
        }
    }

    /** While others are taken, what is refused as by a policy is a matter of this recipient: its tries count, and so they end. */
    private SendResult judged(SendResult answer) {
        if (answer.result() == Result.DELIVERED) {
            sentAt = Optional.of(System.nanoTime());
        }
        return answer.error().filter(MailConnection.RELAY_REFUSED::equals).isPresent()
                && sentAt.filter(at -> System.nanoTime() - at < TAKES_MAIL.toNanos()).isPresent()
                        ? new SendResult(Result.FAILED, answer.status(), answer.error(), Optional.empty()) : answer;
    }

    private String problem(SendResult notSent) {
        return "the mail server %s %s%s".formatted(server.address(), switch (notSent.error().orElse("")) {
            case "login_refused" -> "refuses the login of " + ReceiptSettings.USER.name();
            case "no_trusted_tls" -> "has no TLS that we trust: see %s and %s".formatted(ReceiptSettings.TLS.name(),
                    ReceiptSettings.CA.name());
            case MailConnection.RELAY_REFUSED -> "passes on no mail from us or from " + letterhead.from();
            default -> "takes no mail from " + letterhead.from();
        }, notSent.status().isPresent() ? " (" + notSent.status().getAsInt() + ")" : "");
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
