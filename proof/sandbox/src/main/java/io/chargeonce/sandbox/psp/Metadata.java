// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Metadata in the order of its names, so that the same object is always the same JSON, after a restart too. */
public final class Metadata {
    private Metadata() {}

    public static Map<String, String> copy(Map<String, String> metadata) {
        return Collections.unmodifiableMap(new TreeMap<>(metadata));
    }
}
