// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.booking.Bookings;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.PspServer;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * A server on 127.0.0.1 that answers the payment part of Adyen's Checkout API v71 as Adyen publishes it: payments, cancels,
 * reversals and refunds whose results come later by signed webhook, idempotency keys, result codes on request. It remembers
 * every request and every movement of money; with a directory all of it survives a SIGKILL. Any thread may call it.
 */
public final class AdyenSimulator extends PspServer {
    private final AdyenSettings settings;
    private final AdyenObjects objects;
    private final PspLedger<AdyenChange, AdyenReply> ledger;
    private final Afterwards afterwards;
    private final SettlementReport report;

    private AdyenSimulator(AdyenSettings settings, AdyenObjects objects, PspLedger<AdyenChange, AdyenReply> ledger, LockStripes locks,
                           SettlementReport report) {
        super("Adyen", settings.port(), settings.clock(),
                new AdyenApi(objects, new PaymentEndpoint(settings.storedCards()),
                        new ModificationEndpoints(objects, settings.modificationLag())),
                ledger, locks, new FaultRules("Adyen", List.of(Operation.values()), fault -> true), report::answer);
        this.report = report;
        this.settings = settings;
        this.objects = objects;
        this.ledger = ledger;
        this.afterwards = Afterwards.start(settings.clock(), new ModificationResults(objects, ledger, locks),
                settings.webhook().map(webhook -> new AdyenWebhooks(webhook, objects, ledger)));
    }

    /** Starts a simulator. Throws {@link IllegalStateException} if its port or its directory is in use. */
    public static AdyenSimulator start(AdyenSettings settings) {
        AdyenObjects objects = new AdyenObjects(settings.webhook().isPresent());
        var ledger = new PspLedger<>("adyen", settings.directory(), settings.keyLifetime(), objects, AdyenChange.class, AdyenReply.class);
        return new AdyenSimulator(settings, objects, ledger, new LockStripes(), new SettlementReport(new Bookings(ledger)));
    }

    /** What clients take as the base address of the Checkout API, its version included, without a slash at its end. */
    public URI apiBase() {
        return URI.create(address() + "/v71");
    }

    /** What its settlement report says; a test may have it lie. */
    public Bookings bookings() {
        return report.bookings();
    }

    /** The settlement details report of everything that moved so far, as CSV. */
    public String settlementReport() {
        return report.csv();
    }

    /** Every cancel, reversal and refund that was received, oldest first, with its result if there is one. */
    public List<Modification> modifications() {
        return objects.modifications();
    }

    /**
     * Tells by webhook that the capture of an authorised payment failed, as the acquirer or the scheme may do days later. The
     * ledger keeps the capture: what comes of the money is settled outside the API.
     *
     * @param pspReference of a payment that exists
     */
    public void failCapture(String pspReference, String reason) {
        notifyOfCapture(pspReference, "CAPTURE_FAILED", reason);
    }

    /** Tells by webhook that the money was captured again, by Adyen itself. */
    public void recapture(String pspReference) {
        notifyOfCapture(pspReference, "CAPTURE", "Recaptured");
    }

    private void notifyOfCapture(String pspReference, String eventCode, String reason) {
        AdyenPayment payment = objects.payment(pspReference).orElseThrow();
        ledger.commit(AdyenChange.notified(new Notification(Ids.nextUpperCase(20), eventCode, Ids.nextUpperCase(16), Optional.of(pspReference),
                payment.reference(), payment.amount(), settings.clock().instant(), true, reason, payment.brand())));
    }

    /** Holds notifications back from now on, or, when called with false, delivers all of them. */
    public void holdWebhooks(boolean now) {
        afterwards.hold(now);
    }

    @Override
    public void close() {
        afterwards.close();
        super.close();
    }
}
