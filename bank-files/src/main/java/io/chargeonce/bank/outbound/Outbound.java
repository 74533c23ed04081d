// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.sftp.BankSession;
import io.chargeonce.bank.sftp.SftpSession;
import io.chargeonce.bank.xml.PaymentFile;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.text.Printable;
import io.chargeonce.vault.Vault;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals what was collected for one bank when its window comes, and takes the files there. A failure leaves the file where it is, and the
 * next pass goes on from its state. A file that the bank does not answer in time is reported, and never sent again by itself. For one
 * thread; processes may each have one, and one of them works.
 */
public final class Outbound {

    private static final Logger LOG = LoggerFactory.getLogger(Outbound.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final int DOUBLINGS = 9;
    private static final Duration HELD = Duration.ofSeconds(10);

    private final BankAccount account;
    private final Database database;
    private final Vault vault;
    private final Optional<Instant> until;
    private final Render render;
    private final Counter failures;
    private volatile int late;
    private volatile Duration oldest = Duration.ZERO;
    private List<String> reported = List.of();
    private boolean registered;
    /** By the database's clock. */
    private Instant sealNotBefore = Instant.MIN;

    /** @param until after a restore that lost rows: until then, by Postgres's clock, no file is sealed or sent */
    public Outbound(BankAccount account, Database database, Vault vault, Optional<Instant> until, MeterRegistry meters) {
        this.account = account;
        this.database = database;
        this.vault = vault;
        this.until = until;
        until.ifPresent(end -> LOG.error("ALERT: no file is sealed for {} or sent to it until {}: first compare what it has with the rows "
                + "(docs/bank.md)", account.name(), end));
        this.render = new Render(account.creditor(), vault);
        this.failures = meters.counter("chargeonce.bank.upload.failures", "bank", account.name());
        Gauge.builder("chargeonce.bank.answers.late", this, outbound -> outbound.late).tag("bank", account.name())
                .description("Files that a bank has not answered by their deadline").register(meters);
        TimeGauge.builder("chargeonce.bank.upload.oldest", this, TimeUnit.MILLISECONDS, outbound -> outbound.oldest.toMillis())
                .tag("bank", account.name()).description("How long the oldest file that is not at the bank has had to go there")
                .register(meters);
    }

    /** One pass. Returns how many files it sealed or took a step further. */
    public int runOnce() {
        if (!registered) {
            database.inTransaction(connection -> {
                BatchTable.register(connection, account.name(), account.windows().next(Database.now(connection)).sealAt(),
                        account.answerWithin());
                return true;
            });
            registered = true;
        }
        reportLate();
        if (until.isPresent() && database.withConnection(Database::now).isBefore(until.get())) {
            return 0;
        }
        return database.withConnection(connection -> BatchTable.hasWork(connection, account.name()))
                ? Submitter.alone(database, account.name(), this::work).orElse(0) : 0;
    }

    private int work(long fence) {
        int sealed = seal(fence);
        List<BankBatch> batches = database.withConnection(connection -> BatchTable.toSend(connection, account.name()));
        List<BankBatch> rendered =
                batches.stream().filter(batch -> batch.state() == BankBatch.State.SEALED).filter(batch -> render(batch, fence)).toList();
        List<BankBatch> ready = database.withConnection(connection -> BatchTable.toSend(connection, account.name())).stream()
                .filter(batch -> batch.state() != BankBatch.State.SEALED).toList();
        return sealed + rendered.size() + send(ready, fence);
    }

    private int seal(long fence) {
        BatchTable.Plan plan = database.withConnection(connection -> BatchTable.plan(connection, account.name()));
        if (plan.now().isBefore(plan.sealAt()) || plan.now().isBefore(sealNotBefore)) {
            return 0;
        }
        Optional<Windows.Window> window = account.windows().sealedAt(plan.sealAt()).filter(open -> plan.now().isBefore(open.closes()));
        if (window.isEmpty()) {
            LOG.warn("The cut-off of {} at {} was missed, or the settings have changed; what was collected goes into the next file",
                    account.name(), plan.sealAt());
        }
        int files = window.map(open -> sealAll(open, plan, fence)).orElse(0);
        if (sealNotBefore.isAfter(plan.now())) {
            return files;
        }
        database.inTransaction(connection -> {
            BatchTable.planNext(connection, account.name(), fence, account.windows().next(plan.now()).sealAt());
            return true;
        });
        return files;
    }

    /** A file for each kind, and more of them if there are more items than one takes. */
    private int sealAll(Windows.Window window, BatchTable.Plan plan, long fence) {
        int files = 0;
        for (PaymentFile.Kind kind : PaymentFile.Kind.values()) {
            while (sealReadable(window, plan, fence, kind)) {
                files++;
            }
        }
        return files;
    }

    /** False if nothing more waits, or if what waits is held. */
    private boolean sealReadable(Windows.Window window, BatchTable.Plan plan, long fence, PaymentFile.Kind kind) {
        while (true) {
            try {
                return database.inTransaction(connection -> sealOne(connection, window, plan, fence, kind)).isPresent();
            } catch (Mandates.Unreadable unreadable) {
                if (unreadable.isWorthWaiting(plan.now(), window.closes())) {
                    hold(unreadable, plan);
                    return false;
                }
                setAside(unreadable, fence);
            }
        }
    }

    private Optional<Long> sealOne(Connection connection, Windows.Window window, BatchTable.Plan plan, long fence, PaymentFile.Kind kind)
            throws SQLException {
        Optional<Long> sealed =
                BatchTable.seal(connection, account.name(), fence, kind, window, account.prefix(), plan.now().plus(account.answerWithin()));
        if (sealed.isPresent()) {
            Mandates.mustBeReadable(connection, vault, sealed.get());
        }
        return sealed;
    }

    /** Nothing was sent of these, and nothing will be: each goes on as after a PSP's failure. */
    private void setAside(Mandates.Unreadable unreadable, long fence) {
        database.inTransaction(connection -> {
            BatchTable.setAside(connection, account.name(), fence, unreadable.items());
            return true;
        });
        failures.increment();
        LOG.error("ALERT: {} items for {} are set aside, because their mandates cannot be read ({}); the others are sent",
                unreadable.items().size(), account.name(), unreadable.why());
    }

    /**
     * A missing key must not fail all payments of a bank. If none can be read, they wait for it until the window closes, and then for the
     * next one. If some can, a key was changed or a mandate is damaged; they wait together until shortly before the window closes.
     */
    private void hold(Mandates.Unreadable unreadable, BatchTable.Plan plan) {
        sealNotBefore = plan.now().plus(HELD);
        failures.increment();
        LOG.error("ALERT: no file is sealed for {}, because the mandates of {} items cannot be read ({}); {}; it is tried again in {}",
                account.name(), unreadable.items().size(), unreadable.why(), unreadable.all() ? "there is no other"
                        : "they are set aside %d minutes before the window closes".formatted(Mandates.TO_GIVE_A_KEY.toMinutes()),
                HELD);
    }

    private boolean render(BankBatch batch, long fence) {
        try {
            database.inTransaction(connection -> {
                render.render(connection, batch, fence);
                return true;
            });
            return true;
        } catch (IllegalStateException notOpened) {
            failed(batch, notOpened);
            return false;
        }
    }

    private int send(List<BankBatch> batches, long fence) {
        if (batches.isEmpty()) {
            return 0;
        }
        try (BankSession bank = SftpSession.open(account.place())) {
            var send = new Send(database, vault, bank);
            int sent = 0;
            for (BankBatch batch : batches) {
                sent += send(send, batch, fence) ? 1 : 0;
            }
            return sent;
        } catch (IOException e) {
            batches.forEach(batch -> failed(batch, e));
            return 0;
        }
    }

    private boolean send(Send send, BankBatch batch, long fence) {
        try {
            send.send(batch, to -> database.inTransaction(connection -> {
                BatchTable.move(connection, batch, to, fence);
                if (to == BankBatch.State.SENT) {
                    AuditLog.append(connection, List.of(new AuditLog.Entry("bank-files", "bank.sent", Optional.empty(), "bank_batch",
                            Long.toString(batch.id()), Optional.empty(), Map.of("bank", batch.bank(), "message", batch.messageId()))));
                }
                return true;
            }));
            LOG.info("File {} with {} items is at {}", batch.fileName(), batch.items(), batch.bank());
            return true;
        } catch (IOException | IllegalStateException e) {
            failed(batch, e);
            return false;
        }
    }

    private void failed(BankBatch batch, Exception e) {
        if (e instanceof Submitter.Fenced fenced) {
            throw fenced;
        }
        failures.increment();
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(batch.tries(), DOUBLINGS));
        Duration bounded = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        LOG.error("ALERT: file {} is not at {} yet ({}); it is tried again in {}", batch.fileName(), batch.bank(), Printable.of(why),
                bounded);
        database.inTransaction(connection -> {
            BatchTable.failed(connection, batch, why, bounded);
            return true;
        });
    }

    private void reportLate() {
        List<String> now = database.withConnection(connection -> BatchTable.late(connection, account.name()));
        late = now.size();
        oldest = database.withConnection(connection -> BatchTable.oldestUnsent(connection, account.name()));
        now.stream().filter(message -> !reported.contains(message)).forEach(message -> LOG.error(
                "ALERT: {} has not answered file {} in time. Ask the bank whether it has it; nothing is sent again by itself, "
                        + "but bank resend does it",
                account.name(), message));
        reported = now;
    }
}
