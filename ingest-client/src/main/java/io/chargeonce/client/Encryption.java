// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import javax.net.ssl.SSLParameters;

/** TLS 1.3, and TLS 1.2 with AEAD suites. Nothing older is offered, even if the JVM allows it. */
final class Encryption {

    private static final String[] SUITES = {
        "TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"};

    private Encryption() {}

    static SSLParameters modern() {
        return new SSLParameters(SUITES.clone(), new String[] {"TLSv1.3", "TLSv1.2"});
    }
}
