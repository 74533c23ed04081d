// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Admin;
import io.chargeonce.sandbox.psp.Counts;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.Keys;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.Outage;
import io.chargeonce.sandbox.psp.PspSimulator;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A server on 127.0.0.1 that answers the card payments of Adyen's Checkout API v71 as Adyen publishes it, remembers every
 * request and every movement of money, and fails on request. An authorised payment is captured at once; cancels, reversals
 * and refunds are received first and executed later. With a directory all of it survives a SIGKILL. Any thread may call it.
 */
public final class AdyenSimulator implements PspSimulator {
    private final AdyenSettings settings;
    private final FaultRules rules = new FaultRules("Adyen", List.of(Operation.values()), fault -> true);
    private final Outage outage = new Outage();
    private final AdyenLedger books;
    private final Api api;
    private final Admin admin;
    private final HttpListener listener;
    private final Afterwards afterwards;

    private AdyenSimulator(AdyenSettings settings) {
        this.settings = settings;
        Keys<FrozenAnswer> keys = new Keys<>(settings.keyLifetime());
        LockStripes locks = new LockStripes();
        this.books = new AdyenLedger(keys, settings.directory(), settings.webhook().isPresent());
        Execution execution = new Execution(books, locks, new PaymentEndpoint(settings.storedCards()),
                new ModificationEndpoints(books, settings.modificationLag()));
        this.api = new Api(settings.clock(), outage, keys, rules, execution, books);
        this.admin = new Admin(books, rules, outage, settings.clock());
        this.listener = listen(settings.port());
        this.afterwards = Afterwards.start(settings.clock(), new ModificationResults(books, locks),
                settings.webhook().map(webhook -> new Webhooks(webhook, books)));
    }

    private HttpListener listen(int port) {
        try {
            return HttpListener.start("The Adyen simulator", port, this::answer);
        } catch (RuntimeException e) {
            books.close();
            throw e;
        }
    }

    private HttpAnswer answer(HttpRequest request) {
        return Admin.serves(request) ? admin.answer(request) : api.answer(request);
    }

    /** Starts a simulator. Throws {@link IllegalStateException} if its port or its directory is in use. */
    public static AdyenSimulator start(AdyenSettings settings) {
        return new AdyenSimulator(settings);
    }

    /** What clients take as the base address of the Checkout API, its version included, without a slash at its end. */
    public URI apiBase() {
        return URI.create("http://127.0.0.1:" + port() + "/v71");
    }

    public int port() {
        return listener.port();
    }

    @Override
    public long inject(FaultRule rule) {
        return rules.add(rule);
    }

    @Override
    public void removeRule(long id) {
        rules.remove(id);
    }

    @Override
    public void removeRules() {
        rules.clear();
    }

    @Override
    public List<Movement> movements() {
        return books.movements(0, Integer.MAX_VALUE);
    }

    @Override
    public List<LoggedRequest> requests() {
        return books.requests(0, Integer.MAX_VALUE);
    }

    /** Every cancel, reversal and refund that was received, oldest first, with its result if there is one. */
    public List<Modification> modifications() {
        return books.modifications();
    }

    /**
     * Tells by webhook that the capture of an authorised payment failed, as the acquirer or the scheme may do days later. The
     * ledger keeps the capture: what comes of the money is settled outside the API.
     *
     * @param pspReference of a payment that exists
     */
    public void failCapture(String pspReference, String reason) {
        tellOfCapture(pspReference, "CAPTURE_FAILED", reason);
    }

    /** Tells by webhook that the money was captured again, by Adyen itself. */
    public void recapture(String pspReference) {
        tellOfCapture(pspReference, "CAPTURE", "Recaptured");
    }

    private void tellOfCapture(String pspReference, String eventCode, String reason) {
        Payment payment = books.payment(pspReference).orElseThrow();
        var told = new Notification(Ids.nextUpperCase(20), eventCode, Ids.nextUpperCase(16), Optional.of(pspReference), payment.reference(),
                payment.amount(), settings.clock().instant(), true, reason, payment.brand());
        books.commit(JournalLine.of(new Change(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(told), Optional.empty())));
    }

    /** From now on notifications come late: all of them when this is called again with false. */
    public void holdWebhooks(boolean now) {
        afterwards.hold(now);
    }

    @Override
    public Counts counts() {
        return books.counts();
    }

    @Override
    public void outage(Duration time) {
        outage.last(settings.clock().instant(), time);
    }

    @Override
    public void endOutage() {
        outage.end();
    }

    @Override
    public void refuseConnections() {
        listener.refuseConnections();
    }

    @Override
    public void acceptConnections() {
        listener.acceptConnections();
    }

    @Override
    public void close() {
        listener.close();
        afterwards.close();
        books.close();
    }
}
