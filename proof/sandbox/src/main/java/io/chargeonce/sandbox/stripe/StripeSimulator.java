// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.booking.Bookings;
import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.Disputes;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.PspServer;
import io.chargeonce.sandbox.webhook.Afterwards;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A server that answers the payment part of Stripe's v1 API as Stripe publishes it, remembers every request and
 * every movement of money, and fails on request. With a directory all of it survives a SIGKILL. Any thread may call it.
 */
public final class StripeSimulator extends PspServer {
    private final PspLedger<StripeChange, StripeAnswer> ledger;
    private final Bookings bookings;

    private StripeSimulator(StripeSimulatorSettings settings, StripeObjects objects, PspLedger<StripeChange, StripeAnswer> ledger,
                            Bookings bookings, LockStripes locks) {
        super("Stripe", settings.address(), settings.clock(),
                new StripeApi(new Credentials(settings.account()), objects, new Reads(objects, settings.searchLag(), bookings)), ledger,
                locks, new FaultRules("Stripe", List.of(StripeOperation.values()), fault -> !(fault instanceof Fault.Transient)),
                request -> Optional.empty(), new StripeDisputeBook(objects, ledger, locks, settings.clock()),
                Afterwards.start(() -> {}, settings.webhook().map(webhook -> new StripeWebhooks(webhook, objects, ledger,
                        settings.clock()))));
        this.ledger = ledger;
        this.bookings = bookings;
    }

    /** From now on the dispute is as given. No webhook tells of that. */
    public void dispute(StripeDispute dispute) {
        ledger.commit(StripeChange.of(dispute, Optional.empty()));
    }

    /** What its balance transactions say; a test may have them lie. */
    public Bookings bookings() {
        return bookings;
    }

    /** Starts a simulator. Throws {@link IllegalStateException} if its port or its directory is in use. */
    public static StripeSimulator start(StripeSimulatorSettings settings) {
        StripeObjects objects = new StripeObjects(settings.webhook().isPresent());
        var ledger =
                new PspLedger<>("stripe", settings.directory(), settings.keyLifetime(), objects, StripeChange.class, StripeAnswer.class);
        return new StripeSimulator(settings, objects, ledger, new Bookings(ledger), new LockStripes());
    }

    /** What clients take as the API's base address, without a slash at its end. */
    public URI apiBase() {
        return address();
    }

    /** Disputes of the whole charge, which cannot be refunded while the bank has the money. */
    private record StripeDisputeBook(StripeObjects objects, PspLedger<StripeChange, StripeAnswer> ledger, LockStripes locks,
            InstantSource clock) implements Disputes {

        private static final Duration TO_ANSWER = Duration.ofDays(9);

        @Override
        public LedgerDispute become(String payment, DisputeStep step) {
            return locks.locked(payment, () -> {
                StripeCharge charge = objects.intent(payment).flatMap(PaymentIntent::latestCharge).flatMap(objects::charge)
                        .filter(StripeCharge::succeeded)
                        .orElseThrow(() -> new IllegalArgumentException("no payment " + payment + " was captured"));
                Optional<StripeDispute> before = objects.disputeOf(payment);
                StripeDispute next = next(before, step, charge);
                events(before, next).forEach(type -> ledger.commit(StripeChange.of(next,
                        Optional.of(new StripeWebhooks.Event(Ids.next("evt_1", 23), clock.instant(), type, next)))));
                return shown(next);
            });
        }

        private StripeDispute next(Optional<StripeDispute> before, DisputeStep step, StripeCharge charge) {
            var moved = new ArrayList<>(before.map(StripeDispute::moved).orElse(List.of()));
            boolean wasTaken = before.filter(StripeDispute::isTaken).isPresent();
            if (wasTaken != step.hasTheMoney()) {
                moved.add(wasTaken ? charge.amount() : -charge.amount());
            }
            String status = switch (step) {
                case INQUIRY -> "warning_needs_response";
                case OPENED, TAKEN -> "needs_response";
                case RETURNED -> "under_review";
                case WON -> "won";
                case LOST -> "lost";
            };
            Instant created = before.map(StripeDispute::created).orElseGet(clock::instant);
            return new StripeDispute(before.map(StripeDispute::id).orElseGet(() -> Ids.next("du_1", 23)), created, charge.paymentIntent(),
                    charge.amount(), charge.currency(), "fraudulent", status, false, created.plus(TO_ANSWER), moved);
        }

        private static List<String> events(Optional<StripeDispute> before, StripeDispute now) {
            var events = new ArrayList<String>();
            int moves = now.moved().size() - before.map(dispute -> dispute.moved().size()).orElse(0);
            if (before.isEmpty()) {
                events.add("charge.dispute.created");
            } else if (moves == 0 && !isClosed(now)) {
                events.add("charge.dispute.updated");
            }
            if (moves > 0) {
                events.add(now.isTaken() ? "charge.dispute.funds_withdrawn" : "charge.dispute.funds_reinstated");
            }
            if (isClosed(now)) {
                events.add("charge.dispute.closed");
            }
            return events;
        }

        private static boolean isClosed(StripeDispute dispute) {
            return dispute.status().equals("won") || dispute.status().equals("lost");
        }

        private LedgerDispute shown(StripeDispute dispute) {
            String stage = dispute.status().startsWith("warning_") ? "inquiry" : isClosed(dispute) ? dispute.status() : "opened";
            String funds = dispute.isTaken() ? "taken" : dispute.moved().isEmpty() ? "not_taken" : "returned";
            return new LedgerDispute(dispute.id(), dispute.paymentIntent(),
                    objects.intent(dispute.paymentIntent()).map(PaymentIntent::metadata).orElse(Map.of()), dispute.amount(),
                    dispute.currency(), StripeCurrencies.value(dispute.amount(), dispute.currency()), stage, funds);
        }

        @Override
        public List<LedgerDispute> all() {
            return objects.disputes().stream().map(this::shown).toList();
        }
    }
}
