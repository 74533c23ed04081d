// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import java.security.SecureRandom;
import java.util.Base64;

/** The secrets of endpoints, in the form of the Standard Webhooks specification. */
public final class EndpointSecret {

    /** The specification asks for 24 to 64 bytes. */
    private static final int BYTES = 32;
    private static final String PREFIX = "whsec_";
    private static final SecureRandom RANDOM = new SecureRandom();

    private EndpointSecret() {}

    /** A new secret, as it is shown to the merchant. */
    public static String make() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return PREFIX + Base64.getEncoder().encodeToString(bytes);
    }

    /** Where the secrets of an endpoint lie: they open for no other endpoint. */
    public static String placeOf(String endpoint) {
        return "webhook secret of " + endpoint;
    }
}
