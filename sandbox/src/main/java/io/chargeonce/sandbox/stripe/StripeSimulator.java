// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Admin;
import io.chargeonce.sandbox.psp.Counts;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.Keys;
import io.chargeonce.sandbox.psp.LoggedRequest;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.Outage;
import io.chargeonce.sandbox.psp.PspSimulator;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * A server on 127.0.0.1 that answers the payment part of Stripe's v1 API as Stripe publishes it, remembers every request and
 * every movement of money, and fails on request. With a directory all of it survives a SIGKILL. Any thread may call it.
 */
public final class StripeSimulator implements PspSimulator {
    private final StripeSettings settings;
    private final FaultRules rules = new FaultRules("Stripe", List.of(Operation.values()),
            fault -> !(fault instanceof Fault.Transient));
    private final Outage outage = new Outage();
    private final StripeLedger books;
    private final Api api;
    private final Admin admin;
    private final HttpListener listener;

    private StripeSimulator(StripeSettings settings) {
        this.settings = settings;
        Keys<FrozenAnswer> keys = new Keys<>(settings.keyLifetime());
        this.books = new StripeLedger(keys, settings.directory());
        Execution execution = new Execution(books, new Reads(books, settings.searchLag()));
        this.api = new Api(new Credentials(settings.account()), settings.clock(), outage, keys, rules, execution, books);
        this.admin = new Admin(books, rules, outage, settings.clock());
        this.listener = listen(settings.port());
    }

    private HttpListener listen(int port) {
        try {
            return HttpListener.start("The Stripe simulator", port, this::answer);
        } catch (RuntimeException e) {
            books.close();
            throw e;
        }
    }

    private HttpAnswer answer(HttpRequest request) {
        return Admin.serves(request) ? admin.answer(request) : api.answer(request);
    }

    /** Starts a simulator. Throws {@link IllegalStateException} if its port or its directory is in use. */
    public static StripeSimulator start(StripeSettings settings) {
        return new StripeSimulator(settings);
    }

    /** What clients take as the API's base address, without a slash at its end. */
    public URI apiBase() {
        return URI.create("http://127.0.0.1:" + port());
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
        books.close();
    }
}
