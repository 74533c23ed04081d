package io.chargeonce.dlq;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Who changes the dead-letter queue and why; written to the audit log with every single change.
 *
 * @param run names this one run, so that everything it changed can be found
 */
public record Mandate(String actor, Optional<String> reason, String run) {

    public Mandate {
        if (actor.isBlank() || reason.filter(String::isBlank).isPresent()) {
            throw new IllegalArgumentException("a change needs somebody who makes it, and a reason says something");
        }
    }

    /** A run of its own for this person or service. */
    public static Mandate of(String actor, Optional<String> reason) {
        var bytes = new byte[5];
        new SecureRandom().nextBytes(bytes);
        return new Mandate(actor, reason, "run_" + HexFormat.of().formatHex(bytes));
    }
}
