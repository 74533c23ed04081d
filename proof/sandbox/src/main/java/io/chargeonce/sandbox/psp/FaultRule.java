// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Which requests meet a fault: requests of one operation or of any, about a payment with these metadata. The rule applies so many
 * times or, without a number, until it is removed. A refund is matched by its own metadata and by its payment's.
 */
public record FaultRule(Fault fault, Optional<Endpoint> operation, Map<String, String> metadata, OptionalInt times) {
    public FaultRule {
        metadata = Metadata.copy(metadata);
        if (times.isPresent() && times.getAsInt() < 1) {
            throw new IllegalArgumentException("times must be at least 1, not " + times.getAsInt());
        }
    }

    /** Any request, once. */
    public static FaultRule once(Fault fault) {
        return new FaultRule(fault, Optional.empty(), Map.of(), OptionalInt.of(1));
    }

    public FaultRule on(Endpoint only) {
        return new FaultRule(fault, Optional.of(only), metadata, times);
    }

    public FaultRule forMetadata(String name, String value) {
        return new FaultRule(fault, operation, Map.of(name, value), times);
    }

    public FaultRule times(int count) {
        return new FaultRule(fault, operation, metadata, OptionalInt.of(count));
    }

    public FaultRule always() {
        return new FaultRule(fault, operation, metadata, OptionalInt.empty());
    }

    boolean matches(Endpoint called, Map<String, String> about) {
        return operation.map(called::equals).orElse(true) && about.entrySet().containsAll(metadata.entrySet());
    }
}
