// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.evidence;

/** What was made of a line. Each has a sentence for people. */
public sealed interface Taken {

    String note();

    /** It is recorded, and what follows from it happens in the same transaction, or by the resolver a moment later. */
    record Recorded(String note) implements Taken {}

    /** It was known already, or changes nothing. */
    record Nothing(String note) implements Taken {}

    /** It fits no attempt, so a person has to look. */
    record Unmatched(String note) implements Taken {}
}
