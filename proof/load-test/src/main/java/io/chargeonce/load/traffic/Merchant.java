// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import java.util.List;

/** A merchant that sends payments, with its token. */
public record Merchant(String name, String token) {

    /** The two that every sandbox has. */
    public static List<Merchant> sandbox() {
        return List.of(new Merchant("acme", "test_acme"), new Merchant("globex", "test_globex"));
    }

    /** Without the token. */
    @Override
    public String toString() {
        return name;
    }
}
