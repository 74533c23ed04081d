// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.settlement;

import io.chargeonce.charge.call.Attempted;
import io.chargeonce.charge.call.PspExchange;
import io.chargeonce.charge.evidence.Evidence;
import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.Rail;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.settlement.SettlementLines;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at lines of settlement reports whose money, by our rows, is unknown or did not move. A line is a reason to ask: the PSP's answer
 * becomes an observation of the attempt like any late answer. Where the PSP cannot be asked, the line itself is the evidence, but only with
 * a mark of the settlement key: a login that can insert lines could otherwise declare a payment paid. After an unknown answer the line
 * stays due.
 * For one thread; any number of processes may run one.
 */
public final class BookedMoney {

    private static final Logger LOG = LoggerFactory.getLogger(BookedMoney.class);
    private static final int BATCH = 100;
    private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
    private static final int DOUBLINGS = 10;
    /** How long it waits for a locked payment, with a connection. The line stays due. */
    private static final Duration LOCK_PATIENCE = Duration.ofMillis(200);

    private final Database database;
    private final Gateways gateways;
    private final PspExchange exchange;
    private final Topics topics;
    private final boolean ourReceipts;
    private final SettlementKeys keys;
    private final Runnable committed;
    private final MeterRegistry meters;

    public BookedMoney(Database database, Gateways gateways, PspExchange exchange, Topics topics, boolean ourReceipts, SettlementKeys keys,
                       Runnable committed, MeterRegistry meters) {
        this.database = database;
        this.gateways = gateways;
        this.exchange = exchange;
        this.topics = topics;
        this.ourReceipts = ourReceipts;
        this.keys = keys;
        this.committed = committed;
        this.meters = meters;
    }

    /** What follows from a line. */
    private sealed interface Finding {}

    private record Settles(Outcome outcome, String answer) implements Finding {}

    private record NothingNew(String answer) implements Finding {}

    private record NotYet(String answer) implements Finding {}

    /** Takes the lines that are due, up to a batch. Returns how many were answered. */
    public int runOnce() {
        List<SettlementLines.Due> due = database.withConnection(connection -> SettlementLines.due(connection, gateways.psps(), BATCH));
        return (int) due.stream().filter(this::takeAlone).count();
    }

    /** A bug in one line affects only that one. */
    private boolean takeAlone(SettlementLines.Due due) {
        try {
            return take(due);
        } catch (RuntimeException bug) {
            if (bug instanceof DatabaseRefused refused && refused.isRowBusy()) {
                // It keeps no other line from being taken.
                later(due, "its payment is being worked on");
                return false;
            }
            Bug.mustBeOfOneRow(bug);
            LOG.error("Bug! Line {} of {}'s settlement report could not be taken. It stays and is tried again", due.line().id(),
                    due.line().psp(), bug);
            later(due, Bug.digest(bug));
            return false;
        }
    }

    private boolean take(SettlementLines.Due due) {
        BookedLine line = due.line();
        Optional<Attempted> about = database.withConnection(connection -> about(connection, line));
        Finding finding = about.<Finding>map(found -> judge(due, found)).orElseGet(() -> new NotYet("there is no such attempt here"));
        return switch (finding) {
            case NotYet(String answer) -> {
                later(due, answer);
                yield false;
            }
            case NothingNew(String answer) ->
                database.inTransaction(connection -> SettlementLines.answer(connection, line, answer));
            case Settles settles -> {
                boolean settled = database.inTransaction(connection -> settle(connection, line, about.orElseThrow(), settles));
                committed.run();
                yield settled;
            }
        };
    }

    private static Optional<Attempted> about(Connection connection, BookedLine line) throws SQLException {
        return line.key().isEmpty() ? Optional.empty() : Attempted.find(connection, line.psp(), line.key().get());
    }

    private Finding judge(SettlementLines.Due due, Attempted about) {
        BookedLine line = due.line();
        if (!isItsMoney(line, about.operation())) {
            return new NotYet("the attempt's own amount, currency or direction is another one");
        }
        return switch (about.attempt().state()) {
            case SUCCEEDED -> new NothingNew("the attempt is known to have succeeded");
            // A status query could cancel what a worker is just about to confirm.
            case IN_FLIGHT -> new NotYet("the attempt is being made");
            case UNKNOWN, FAILED_DEFINITE -> find(due, about);
        };
    }

    private static boolean isItsMoney(BookedLine line, Operation operation) {
        boolean sameWay = line.moved() == (operation.kind() == OperationKind.CHARGE ? BookedLine.Moved.CAPTURED
                : BookedLine.Moved.GIVEN_BACK);
        return sameWay && line.money().equals(operation.accepted().request().money());
    }

    private Finding find(SettlementLines.Due due, Attempted about) {
        Gateway gateway = gateways.named(about.attempt().psp());
        return gateway.answersStatusQueries() ? asked(due.line(), about) : believed(due);
    }

    private Finding asked(BookedLine line, Attempted about) {
        Outcome outcome = exchange.ask(about.query(gateways).withReference(line.reference().or(about.attempt()::pspReference)));
        return switch (outcome) {
            case Outcome.Charged charged -> new Settles(charged, "the PSP was asked, and says so too");
            case Outcome.Unknown unknown -> new NotYet("the PSP was asked: %s (%s)".formatted(unknown.cause().tag(), unknown.detail()));
            case Outcome.Declined declined -> contradicted(declined, about, "declined: " + declined.code());
            case Outcome.Failed failed -> contradicted(failed, about, "failed: " + failed.cause().tag());
        };
    }

    /** The PSP's report and its answer contradict each other: the answer decides, and the line stays a difference in each comparison. */
    private static Finding contradicted(Outcome outcome, Attempted about, String said) {
        String answer = "the PSP was asked, and contradicts its report: " + said;
        return about.attempt().state() == AttemptState.FAILED_DEFINITE ? new NothingNew(answer) : new Settles(outcome, answer);
    }

    private Finding believed(SettlementLines.Due due) {
        BookedLine line = due.line();
        if (due.mark().filter(mark -> keys.madeMark(line, mark)).isEmpty()) {
            return new NotYet("%s cannot be asked, and the line has no mark of the settlement key: run the reconciliation with the key, "
                    .formatted(line.psp()) + "or settle the payment by hand");
        }
        return name(line).<Finding>map(reference -> new Settles(new Outcome.Charged(reference), "its mark is right"))
                .orElseGet(() -> new NotYet("the line has no reference of the PSP"));
    }

    /** What refunds need at a PSP. A bank knows a booking by our key too, and some give no reference. */
    private static Optional<String> name(BookedLine line) {
        return line.reference().or(() -> line.key().map(PspKey::value).filter(key -> Rail.BANK_DEBIT.isServedBy(line.psp())));
    }

    private boolean settle(Connection connection, BookedLine line, Attempted about, Settles settles) throws SQLException {
        Database.waitForLocks(connection, LOCK_PATIENCE);
        var locked = OperationTable.lock(connection, List.of(about.operation().id()));
        // A statement may end before the day of the return.
        boolean wentBack = Evidence.wentBack(connection, about.attempt().key());
        if (!SettlementLines.answer(connection, line, wentBack ? "its return was read before it, so nothing is left" : settles.answer())) {
            return false;
        }
        if (wentBack) {
            return true;
        }
        // Another process may have taken the bank's own file meanwhile. A bank may call one booking by two names: that is no second one.
        boolean isKnown = AttemptTable.lock(connection, about.attempt().key()).state() == AttemptState.SUCCEEDED;
        if (isKnown && !gateways.named(about.attempt().psp()).answersStatusQueries()) {
            return true;
        }
        var changes = UnitOfWork.ofAnswers(connection, locked.now(), topics, ourReceipts, meters);
        new LateAnswers(changes, locked.rows().get(about.operation().id())).take(about.attempt().key(), "settlement", settles.outcome());
        changes.write();
        return true;
    }

    private void later(SettlementLines.Due due, String answer) {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(due.tries(), DOUBLINGS));
        database.inTransaction(connection -> {
            SettlementLines.later(connection, due.line(), answer, pause);
            return due;
        });
    }
}
