// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.transport;

import io.chargeonce.http.BoundedHttp;
import io.chargeonce.http.Deadline;
import io.chargeonce.http.Drain;
import io.chargeonce.http.TlsFiles;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.runtime.Address;
import io.helidon.webserver.http.HttpService;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;

/** The web server for payments. */
public final class IngestHttp {

    /** More than a million lines of the usual length. Single requests have their own, much lower limit. */
    private static final long LARGEST_PAYLOAD = 4L << 30;
    public static final int MOST_REQUESTS_AT_ONCE = 4_000;

    private IngestHttp() {}

    /** @throws IllegalStateException if the service cannot listen on the address; its message is one line */
    public static BoundedHttp start(Address address, Optional<TlsFiles> tls, HttpService api, Deadline forHeads, Duration idle,
                                    Drain drain, MeterRegistry meters) {
        return BoundedHttp.start(address, tls, api, forHeads,
                new BoundedHttp.Limits("ingest service", "ingest", LARGEST_PAYLOAD, MOST_REQUESTS_AT_ONCE, idle),
                new BoundedHttp.Refusals(new TransportProblems(), Problems.tooManyConnections().asHttp()), drain, meters);
    }
}
