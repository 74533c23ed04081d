// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.ChargeSettings.LostRows;
import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.charge.settlement.BookedAttempts;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Rail;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lookup;
import io.chargeonce.psp.Traces;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After a restore that lost rows, a payment may have an attempt that only its PSP knows. Until a time that people set, the next attempt of
 * each charge is made only after every PSP that may have the payment has been asked, and that of each refund and reversal after the PSP
 * that has its capture. For a PSP that cannot be asked about a payment, the
 * recorded lines of its settlement reports tell, and a payment of which they have nothing waits until a person has compared that PSP's
 * report. A bank may still execute a file that these rows have lost, so until that time nothing is collected for one. Any thread; no
 * transaction may be open during {@link #ask}.
 */
final class AskFirst {

    private static final Logger LOG = LoggerFactory.getLogger(AskFirst.class);
    /** Status queries under way at once in this process. Stripe answers 20 searches a second for an account. */
    private static final int PLACES = 4;

    /**
     * What the PSPs said about one payment.
     *
     * @param unanswered why it is not known what one of them has
     */
    record Asked(List<Traces.Trace> traces, Optional<String> unanswered) {

        Asked {
            traces = List.copyOf(traces);
        }
    }

    private final Optional<Instant> until;
    private final Map<String, Lookup> lookups = new LinkedHashMap<>();
    /** The PSPs that have told everything, once the lookups have answered. */
    private final Set<String> telling;
    private final Semaphore places = new Semaphore(PLACES, true);

    AskFirst(LostRows lost, List<Gateway> psps, Database database) {
        this.until = lost.until();
        List<Gateway> cards = psps.stream().filter(psp -> !Rail.BANK_DEBIT.isServedBy(psp.psp())).toList();
        cards.forEach(psp -> lookups.put(psp.psp(),
                psp.lookup().orElseGet(() -> new BookedAttempts(database, psp.psp(), ForgottenAttempt.MOST_LOST))));
        this.telling = cards.stream().filter(psp -> psp.lookup().isPresent() || lost.compared().contains(psp.psp())).map(Gateway::psp)
                .collect(Collectors.toSet());
        until.ifPresent(end -> psps.stream().map(Gateway::psp).forEach(psp -> tell(psp, end)));
    }

    private void tell(String psp, Instant end) {
        if (Rail.BANK_DEBIT.isServedBy(psp)) {
            LOG.error("ALERT: {} cannot be queried about a payment, so nothing is collected for it until {}. Before that, compare its "
                    + "statements and its files with the rows (docs/bank.md)", psp, end);
        } else if (!telling.contains(psp)) {
            LOG.error(
                    "ALERT: {} cannot be queried about a payment, so payments whose routes lead there, and its refunds, wait until {}. "
                            + "Before that, record its own report (chargeonce bank reconcile --apply), then name it in "
                            + "CHARGEONCE_ASK_FIRST_COMPARED",
                    psp, end);
        }
    }

    /** Whether an operation's next attempt needs a status query at this time of Postgres. */
    boolean concerns(Instant now) {
        return until.filter(now::isBefore).isPresent();
    }

    /** Whether the operation goes to a bank, which cannot be asked, and so waits. A refund is sent no second time either. */
    boolean keepsBack(Operation operation, Instant now) {
        return Rail.of(operation.accepted().request().paymentMethod()) == Rail.BANK_DEBIT && concerns(now);
    }

    /** Those of a payment's PSPs that may have it without telling. A PSP that is not set up here is one of them. */
    List<String> silent(List<String> itsPsps) {
        return itsPsps.stream().filter(psp -> !telling.contains(psp)).toList();
    }

    /** Asks one PSP after the other; what gives money back is only where its capture is. */
    Asked ask(Operation operation) {
        var traces = new ArrayList<Traces.Trace>();
        places.acquireUninterruptibly();
        try {
            for (Map.Entry<String, Lookup> each : lookups.entrySet()) {
                if (operation.capture().filter(capture -> !capture.psp().equals(each.getKey())).isPresent()) {
                    continue;
                }
                switch (find(each.getValue(), operation)) {
                    case Traces.Found found -> traces.addAll(found.traces());
                    case Traces.NoAnswer none -> {
                        return new Asked(List.of(), Optional.of(none.detail()));
                    }
                }
            }
        } finally {
            places.release();
        }
        return new Asked(traces, Optional.empty());
    }

    /** A bug of ours says nothing about the money. */
    private static Traces find(Lookup lookup, Operation operation) {
        try {
            return lookup.find(operation);
        } catch (RuntimeException | StackOverflowError | AssertionError | LinkageError bug) {
            LOG.error("Bug! A PSP could not be asked about {}, which waits", operation.id(), bug);
            return new Traces.NoAnswer("a bug kept us from asking: " + Bug.digest(bug));
        }
    }
}
