// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.booking.Bookings;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.PspServer;
import java.net.URI;
import java.util.List;

/**
 * A server on 127.0.0.1 that answers the payment part of Stripe's v1 API as Stripe publishes it, remembers every request and
 * every movement of money, and fails on request. With a directory all of it survives a SIGKILL. Any thread may call it.
 */
public final class StripeSimulator extends PspServer {
    private final PspLedger<StripeChange, StripeAnswer> ledger;
    private final Bookings bookings;

    private StripeSimulator(StripeSimulatorSettings settings, StripeObjects objects, PspLedger<StripeChange, StripeAnswer> ledger,
                            Bookings bookings) {
        super("Stripe", settings.port(), settings.clock(),
                new StripeApi(new Credentials(settings.account()), objects, new Reads(objects, settings.searchLag(), bookings)), ledger,
                new LockStripes(),
                new FaultRules("Stripe", List.of(StripeOperation.values()), fault -> !(fault instanceof Fault.Transient)));
        this.ledger = ledger;
        this.bookings = bookings;
    }

    /** From now on the dispute is as given. */
    public void dispute(StripeDispute dispute) {
        ledger.commit(StripeChange.of(dispute));
    }

    /** What its balance transactions say; a test may have them lie. */
    public Bookings bookings() {
        return bookings;
    }

    /** Starts a simulator. Throws {@link IllegalStateException} if its port or its directory is in use. */
    public static StripeSimulator start(StripeSimulatorSettings settings) {
        StripeObjects objects = new StripeObjects();
        var ledger =
                new PspLedger<>("stripe", settings.directory(), settings.keyLifetime(), objects, StripeChange.class, StripeAnswer.class);
        return new StripeSimulator(settings, objects, ledger, new Bookings(ledger));
    }

    /** What clients take as the API's base address, without a slash at its end. */
    public URI apiBase() {
        return address();
    }
}
