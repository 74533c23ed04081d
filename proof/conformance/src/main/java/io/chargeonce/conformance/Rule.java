// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.util.Optional;
import java.util.function.Function;

/**
 * One thing that a server which takes an Idempotency-Key has to do.
 *
 * @param weight whether a server that does not do it is unsafe, or only less helpful
 * @param demand one sentence, for people
 * @param check  tries it; returns what was seen
 */
record Rule(String name, Weight weight, String demand, Function<Trial, Finding> check) {

    enum Weight { MUST, SHOULD }

    /** What one check found. */
    sealed interface Finding {

        record Kept(String seen) implements Finding {}

        record Broken(String expected, String seen) implements Finding {}

        /** It could not be tried. */
        record Skipped(String why) implements Finding {}

        static Finding of(boolean kept, String expected, Object seen) {
            return kept ? new Kept(seen.toString()) : new Broken(expected, seen.toString());
        }

        /** Broken if an earlier step of the check did not go as it must; then the rest means nothing. */
        static Optional<Finding> unless(boolean ready, String expected, Object seen) {
            return ready ? Optional.empty() : Optional.of(new Broken(expected, seen.toString()));
        }
    }

    static Rule must(String name, String demand, Function<Trial, Finding> check) {
        return new Rule(name, Weight.MUST, demand, check);
    }

    static Rule should(String name, String demand, Function<Trial, Finding> check) {
        return new Rule(name, Weight.SHOULD, demand, check);
    }
}
