// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.evidence;

import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.text.Printable;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what banks have said, line by line and each once: the line's new state and all that follows from it are one transaction. What
 * fits no attempt is kept, with an alert. For one thread; several processes may run one.
 */
public final class BankLines {

    private static final Logger LOG = LoggerFactory.getLogger(BankLines.class);
    private static final int BATCH = 100;
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(2);

    private final Database database;
    private final Topics topics;
    private final boolean ourReceipts;
    private final SettlementKeys keys;
    private final Runnable committed;
    private final MeterRegistry meters;
    private final Counter unmatched;

    /** @param keys if there are any, only a line with a mark of theirs is believed */
    public BankLines(Database database, Topics topics, boolean ourReceipts, SettlementKeys keys, Runnable committed, MeterRegistry meters) {
        this.database = database;
        this.topics = topics;
        this.ourReceipts = ourReceipts;
        this.keys = keys;
        this.committed = committed;
        this.meters = meters;
        this.unmatched = meters.counter("chargeonce.bank.lines.unmatched");
    }

    /** Takes a batch of new lines. Returns how many. */
    public int runOnce() {
        int taken;
        try {
            taken = database.inTransaction(connection -> take(connection, BankLineTable.lockNew(connection, BATCH)));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            taken = (int) database.withConnection(connection -> BankLineTable.newIds(connection, BATCH)).stream()
                    .filter(this::takeAlone).count();
        }
        if (taken > 0) {
            committed.run();
        }
        return taken;
    }

    /** A bug in one line leaves only that one, for a person. */
    private boolean takeAlone(long id) {
        try {
            return database.inTransaction(connection -> take(connection, BankLineTable.lockNew(connection, id))) > 0;
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            LOG.error("Bug! Line {} of a bank could not be taken. It is listed by bank unmatched", id, bug);
            meters.counter("chargeonce.bugs", "where", "bank-line").increment();
            return database.inTransaction(connection -> {
                BankLineTable.taken(connection, id, new Taken.Unmatched("a bug: " + Bug.digest(bug)));
                return true;
            });
        }
    }

    private int take(Connection connection, List<BankLineTable.Line> lines) throws SQLException {
        if (lines.isEmpty()) {
            return 0;
        }
        Database.waitForLocks(connection, LOCK_PATIENCE);
        Map<String, Attempt> attempts =
                AttemptTable.find(connection, lines.stream().map(BankLineTable.Line::key).distinct().toList()).stream()
                        .collect(Collectors.toMap(attempt -> attempt.key().value(), Function.identity()));
        var locked = OperationTable.lock(connection, attempts.values().stream().map(Attempt::operationId).toList());
        var changes = UnitOfWork.ofAnswers(connection, locked.now(), topics, ourReceipts, meters);
        var results = new LinkedHashMap<BankLineTable.Line, Taken>();
        for (BankLineTable.Line line : lines) {
            Optional<Operation> about =
                    Optional.ofNullable(attempts.get(line.key())).map(attempt -> locked.rows().get(attempt.operationId()));
            Taken taken = about.isEmpty() ? new Taken.Unmatched("no attempt of ours has this EndToEndId")
                    : take(changes, line, about.get());
            BankLineTable.taken(connection, line.id(), taken);
            results.put(line, taken);
        }
        changes.write();
        results.forEach(this::report);
        return lines.size();
    }

    private Taken take(UnitOfWork changes, BankLineTable.Line line, Operation operation) throws SQLException {
        if (!keys.isEmpty() && !line.hasMarkOf(keys)) {
            return new Taken.Unmatched("it has no mark of the key in CHARGEONCE_SETTLEMENT_KEY_FILE, so bank-files did not read it");
        }
        BankLineTable.Before before = BankLineTable.before(changes.connection(), line);
        if (!before.wasSent()) {
            return new Taken.Unmatched("its item was in no file that we sent");
        }
        if (before.sameKind().isPresent()) {
            return before.isRepeat() || line.isStatus() ? new Taken.Nothing("said before")
                    : new Taken.Unmatched("said before with the reference '%s': was it booked twice?".formatted(before.sameKind().get()));
        }
        return Evidence.take(changes, operation, line.asMoneyLine(), before.returned());
    }

    private void report(BankLineTable.Line line, Taken taken) {
        if (taken instanceof Taken.Unmatched strange) {
            unmatched.increment();
            LOG.error("ALERT: {} says '{}' about {}, which matches no payment ({}); see bank unmatched", line.bank(), line.kind(),
                    line.key().isEmpty() ? "an item without an EndToEndId" : foreign(line.key()), foreign(strange.note()));
        }
    }

    /** Ids and references are words of the bank, or of a stranger who pays. */
    private static String foreign(String said) {
        return Printable.of(CardNumbers.hiddenIn(said));
    }
}
