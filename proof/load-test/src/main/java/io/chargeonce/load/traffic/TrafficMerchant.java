// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import java.util.List;

/** A merchant that sends payments, with its token. */
public record TrafficMerchant(String name, String token) {

    /** The two that every sandbox has. */
    public static List<TrafficMerchant> sandbox() {
        return List.of(new TrafficMerchant("acme", "test_acme"), new TrafficMerchant("globex", "test_globex"));
    }

    /** Without the token. */
    @Override
    public String toString() {
        return name;
    }
}
