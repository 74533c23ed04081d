// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.overview.Facts;
import io.chargeonce.console.overview.Overview;
import io.chargeonce.console.overview.SharedLook;
import io.chargeonce.console.runs.LedRuns;
import io.chargeonce.console.runs.RunDocuments;
import io.chargeonce.console.session.Sessions;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.http.AnswerSender;
import io.chargeonce.http.BodyBytes;
import io.chargeonce.http.BoundedHttp;
import io.chargeonce.http.Deadline;
import io.chargeonce.http.Drain;
import io.chargeonce.http.TlsFiles;
import io.chargeonce.runtime.Address;
import io.chargeonce.text.AddressRange;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** The console's web server. */
public final class ConsoleHttp {

    /** A body has its own, lower limit. */
    private static final long LARGEST_PAYLOAD = 1 << 20;
    private static final int MOST_REQUESTS_AT_ONCE = 400;

    /**
     * How long the console waits for a browser before it closes the connection.
     *
     * @param head     for a request's line and headers, from their first byte on
     * @param exchange for a whole body to arrive, and for a whole answer, or the next part of a stream, to be taken
     * @param leftover for the rest of an unread body
     * @param idle     between two requests
     */
    public record Patience(Deadline head, Deadline exchange, Deadline leftover, Duration idle) {}

    /** What is shown. */
    public record Shown(Sessions sessions, LedRuns led, WitnessView witness, Topics topics, int tiers) {}

    private ConsoleHttp() {}

    /**
     * @param proxies whose X-Forwarded-For is believed
     * @param clock   of others
     * @throws IllegalStateException if it cannot listen on the address; its message is one line
     */
    public static BoundedHttp start(Address address, Optional<TlsFiles> tls, List<AddressRange> proxies, Shown shown, Patience patience,
                                    Drain drain,
                                    InstantSource clock, MeterRegistry meters) {
        var guard = new Guard(address, tls.isPresent());
        var overview = new Overview(shown.topics(), shown.tiers(), shown.witness());
        var documents = new RunDocuments(shown.led());
        var facts = new SharedLook<Facts>();
        var stream = new Stream(overview, facts, documents, patience.exchange());
        drain.tell(stream::endAll);
        var runs = new RunRoutes(documents, shown.led());
        List<ConsoleApi.Routes> routes = List.of(new OverviewRoutes(overview, facts), new HoldRoutes(), stream,
                new DeadLetterRoutes(patience.exchange()), new PaymentRoutes(shown.witness()), runs,
                new WaitingRoutes(runs), new BankRoutes(), new AuditRoutes(), new WitnessRoutes(shown.witness()));
        var api = new ConsoleApi(guard, new Clients(proxies), shown.sessions(), new SessionRoutes(shown.sessions(), guard, clock), routes,
                new BodyBytes(patience.exchange()), new AnswerSender(patience.exchange(), patience.leftover(), drain),
                new ConsoleMeters(meters));
        return BoundedHttp.start(address, tls, api, patience.head(),
                new BoundedHttp.Limits("console", "console", LARGEST_PAYLOAD, MOST_REQUESTS_AT_ONCE, patience.idle()),
                new BoundedHttp.Refusals(new ProblemHandler(), ConsoleProblems.tooManyConnections().asHttp()), drain, meters);
    }
}
