package io.chargeonce.sandbox.stripe;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Metadata in the order of its names, so that the same object is always the same JSON, after a restart too. */
final class Metadata {
    private Metadata() {}

    static Map<String, String> copy(Map<String, String> metadata) {
        return Collections.unmodifiableMap(new TreeMap<>(metadata));
    }
}
