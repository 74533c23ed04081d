// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime.tls;

import java.util.List;

/**
 * TLS 1.3, and TLS 1.2 with suites that have authenticated encryption (AEAD) and forward secrecy (ECDHE). Older ones are neither offered
 * nor accepted.
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
     * Sets this for every connection of the process: to PSPs, Kafka, Postgres, a trace collector, and from clients. Postgres's driver has
     * no setting for it. The JDK reads it once, so this is called before anything else. {@code JAVA_OPTS} takes precedence.
     */
    public static void everywhere() {
        for (String side : List.of("client", "server")) {
            set("jdk.tls." + side + ".protocols", PROTOCOLS);
            set("jdk.tls." + side + ".cipherSuites", SUITES);
        }
    }

    private static void set(String property, List<String> values) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.join(",", values));
        }
    }
}
