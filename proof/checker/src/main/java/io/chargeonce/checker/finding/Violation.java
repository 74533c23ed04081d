// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.finding;

import java.util.Optional;

/**
 * One place where the books disagree.
 *
 * @param subject  the payment's id, or the dead letter's for poison; empty if it is about no single payment
 * @param sentence what was found, where something else must be
 */
public record Violation(Invariant invariant, Optional<String> subject, String sentence) {

    @Override
    public String toString() {
        return invariant.id() + ": " + subject.map(id -> id + " ").orElse("") + sentence;
    }
}
