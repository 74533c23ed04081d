// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.Rail;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lookup;
import io.chargeonce.psp.Traces;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * After a restore that lost rows, a payment may have an attempt that only its PSP knows. Until a time that people set, each charge's next
 * attempt is made only after every PSP that can be asked about a payment has been asked. A bank cannot be asked and may still execute a
 * file that these rows have lost, so until that time nothing is collected for one. Any thread; no transaction may be open during
 * {@link #ask}.
 */
final class AskFirst {

    private static final Logger LOG = LoggerFactory.getLogger(AskFirst.class);
    /** Questions under way at once in this process. Stripe answers 20 searches a second for an account. */
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
    private final List<Lookup> lookups;
    private final InstantSource clock;
    private final Instant started;
    private final Duration lag;
    private final Semaphore places = new Semaphore(PLACES, true);

    /**
     * @param until by Postgres's clock; empty if nothing was lost
     * @param clock of this process; attempts of before its start are visible once the longest lag has passed
     */
    AskFirst(Optional<Instant> until, List<Gateway> psps, InstantSource clock) {
        this.until = until;
        this.lookups = psps.stream().flatMap(psp -> psp.lookup().stream()).toList();
        this.clock = clock;
        this.started = clock.instant();
        this.lag = lookups.stream().map(Lookup::lag).max(Duration::compareTo).orElse(Duration.ZERO);
        until.ifPresent(end -> psps.stream().map(Gateway::psp).filter(Rail.BANK_DEBIT::isServedBy).forEach(bank -> LOG.error(
                "ALERT: {} cannot be asked about a payment, so nothing is collected for it until {}. Before that, compare its statements "
                        + "and the files that it has with the rows (docs/bank-files.md)",
                bank, end)));
        until.ifPresent(end -> psps.stream().filter(psp -> psp.lookup().isEmpty() && !Rail.BANK_DEBIT.isServedBy(psp.psp()))
                .forEach(psp -> LOG.error(
                        "ALERT: PSPs are asked before each attempt until {}, but {} cannot be asked about a payment. Compare its own "
                                + "report with the rows (chargeonce bank reconcile) before it charges again",
                        end, psp.psp())));
    }

    /** Nothing was lost. */
    static AskFirst never() {
        return new AskFirst(Optional.empty(), List.of(), InstantSource.fixed(Instant.EPOCH));
    }

    /** Whether the operation's next attempt needs a question at this time of Postgres. */
    boolean concerns(Operation operation, Instant now) {
        return operation.kind() == OperationKind.CHARGE && until.filter(now::isBefore).isPresent();
    }

    /** Whether the operation goes to a bank, which cannot be asked, and so waits. A refund is sent no second time either. */
    boolean keepsBack(Operation operation, Instant now) {
        return Rail.of(operation.accepted().request().paymentMethod()) == Rail.BANK_DEBIT && until.filter(now::isBefore).isPresent();
    }

    /** How long a question would still miss attempts that were made right before this process started. */
    Duration untilVisible() {
        Duration left = lag.minus(Duration.between(started, clock.instant()));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Asks one PSP after the other. */
    Asked ask(PaymentId payment, Money money) {
        var traces = new ArrayList<Traces.Trace>();
        places.acquireUninterruptibly();
        try {
            for (Lookup lookup : lookups) {
                switch (find(lookup, payment, money)) {
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
    private static Traces find(Lookup lookup, PaymentId payment, Money money) {
        try {
            return lookup.find(payment, money);
        } catch (RuntimeException bug) {
            LOG.error("Bug! A PSP could not be asked about payment {}, which waits", payment, bug);
            return new Traces.NoAnswer("a bug kept us from asking: " + Bug.digest(bug));
        }
    }
}
