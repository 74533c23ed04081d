// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.util.List;

/**
 * TLS 1.3, and TLS 1.2 with suites that encrypt and authenticate in one (AEAD) and keep a recorded conversation secret (ECDHE).
 * Nothing older is offered or taken.
 */
public final class ModernTls {

    public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    public static final List<String> SUITES = List.of(
            "TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    private ModernTls() {}

    /**
     * For every connection of this process: to PSPs, Kafka, Postgres, a trace collector, and from clients. Postgres's driver has no
     * setting of its own for it. The JDK reads it once, so it is called before anything else. What {@code JAVA_OPTS} says wins.
     */
    public static void everywhere() {
        for (String side : List.of("client", "server")) {
            say("jdk.tls." + side + ".protocols", PROTOCOLS);
            say("jdk.tls." + side + ".cipherSuites", SUITES);
        }
    }

    private static void say(String property, List<String> values) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.join(",", values));
        }
    }
}
