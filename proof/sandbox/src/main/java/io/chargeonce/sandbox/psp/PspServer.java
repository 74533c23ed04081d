// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.Disputes;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.webhook.Afterwards;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** A simulated PSP: its API, its ledger, its faults, and the admin's requests. Any thread may call it. */
public abstract class PspServer implements PspSimulator {
    private final PspLedger<?, ?> ledger;
    private final FaultRules rules;
    private final Outage outage = new Outage();
    private final InstantSource clock;
    private final Disputes disputes;
    private final HttpListener listener;
    private final Afterwards afterwards;

    /** Settlement reports to download. */
    public interface Reports {
        /** Empty for a request that asks for none. */
        Optional<HttpAnswer> answer(HttpRequest request);
    }

    /**
     * Serves requests from now on. Throws {@link IllegalStateException} if the port is in use, and then closes the ledger.
     *
     * @param name       of the PSP, for messages
     * @param at         where it listens
     * @param locks      held while a payment is changed
     * @param rules      the faults that this PSP can have
     * @param reports    answers what is not of the API: settlement reports to download
     * @param afterwards is closed with this
     */
    protected <K extends SandboxCall<K>, C extends PspChange, A extends PspAnswer> PspServer(String name, InetSocketAddress at,
                                                                                             InstantSource clock,
                                                                                             PspApi<K, C, A> api, PspLedger<C, A> ledger,
                                                                                             LockStripes locks, FaultRules rules,
                                                                                             Reports reports, Disputes disputes,
                                                                                             Afterwards afterwards) {
        this.ledger = ledger;
        this.rules = rules;
        this.clock = clock;
        this.disputes = disputes;
        this.afterwards = afterwards;
        var requests = new AnswerRequests<>(api, ledger, locks, rules, outage, clock);
        var admin = new Admin(ledger, rules, outage, disputes, clock);
        try {
            this.listener = HttpListener.start("The " + name + " simulator", at,
                    request -> Admin.serves(request) ? admin.answer(request)
                            : reports.answer(request).orElseGet(() -> requests.answer(request)));
        } catch (RuntimeException e) {
            afterwards.close();
            ledger.close();
            throw e;
        }
    }

    /** The address of the server on its own machine, without a slash at its end. */
    protected final URI address() {
        return URI.create("http://127.0.0.1:" + port());
    }

    public final int port() {
        return listener.port();
    }

    @Override
    public final long inject(FaultRule rule) {
        return rules.add(rule);
    }

    @Override
    public final void removeRule(long id) {
        rules.remove(id);
    }

    @Override
    public final void removeRules() {
        rules.clear();
    }

    @Override
    public final List<Movement> movements() {
        return ledger.movements(0, Integer.MAX_VALUE);
    }

    @Override
    public final List<LoggedRequest> requests() {
        return ledger.requests(0, Integer.MAX_VALUE);
    }

    @Override
    public final Counts counts() {
        return ledger.counts();
    }

    /**
     * A customer disputes a captured payment, or its dispute goes on to this step. Webhooks tell of that.
     *
     * @param payment the PSP's id of it
     */
    public final LedgerDispute dispute(String payment, DisputeStep step) {
        return disputes.become(payment, step);
    }

    /** Oldest first. */
    public final List<LedgerDispute> disputes() {
        return disputes.all();
    }

    /** Holds webhooks back from now on, or, when called with false, delivers all of them. */
    public final void holdWebhooks(boolean now) {
        afterwards.hold(now);
    }

    /** From now on the newest webhook comes first, and each comes twice; or, when called with false, in order again. */
    public final void disorderWebhooks(boolean now) {
        afterwards.disorder(now);
    }

    @Override
    public final void outage(Duration time) {
        outage.last(clock.instant(), time);
    }

    @Override
    public final void endOutage() {
        outage.end();
    }

    @Override
    public final void refuseConnections() {
        listener.refuseConnections();
    }

    @Override
    public final void acceptConnections() {
        listener.acceptConnections();
    }

    @Override
    public final void close() {
        afterwards.close();
        listener.close();
        ledger.close();
    }
}
