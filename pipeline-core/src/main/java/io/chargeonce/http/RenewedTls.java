// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.chargeonce.runtime.tls.CertificateExpiry;
import io.helidon.webserver.WebServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a server a new certificate and key when their files have changed. Open connections keep the old ones. While the two files do not
 * fit each other, because only one has been replaced yet, the server keeps what it has. For one thread.
 */
public final class RenewedTls {

    public static final Duration LOOK_EVERY = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(RenewedTls.class);

    private final TlsFiles files;
    private final WebServer server;
    /** What the files held at the last check; nothing at first, so that they are read once more after the start. */
    private byte[] seen = {};
    private String problem = "";
    private volatile Instant expires;

    /**
     * @param door names the server in the meter
     * @throws IllegalStateException if the certificate cannot be read
     */
    RenewedTls(TlsFiles files, WebServer server, String door, MeterRegistry meters) {
        this.files = files;
        this.server = server;
        try {
            this.expires = files.expires();
        } catch (IOException e) {
            throw new IllegalStateException("%s cannot be read: %s".formatted(files.certificate(), e.getMessage()), e);
        }
        CertificateExpiry.report(meters, door, () -> expires);
    }

    /** Returns how often it was renewed, 0 or 1. */
    public int runOnce() {
        try {
            byte[] now = files.bytes();
            if (Arrays.equals(now, seen)) {
                return 0;
            }
            server.reloadTls(files.tls());
            expires = files.expires();
            if (seen.length > 0) {
                LOG.info("HTTPS uses the certificate that is now in {}", files.certificate());
            }
            seen = now;
            problem = "";
            return 1;
        } catch (IOException | RuntimeException e) {
            tellOnce(e.getMessage());
            return 0;
        }
    }

    private void tellOnce(String what) {
        if (!what.equals(problem)) {
            LOG.warn("HTTPS keeps its certificate, because the files cannot be used now: {}", what);
            problem = what;
        }
    }
}
