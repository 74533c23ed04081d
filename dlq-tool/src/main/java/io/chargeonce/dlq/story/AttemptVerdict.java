// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import java.util.Optional;

/**
 * What a person found out about an attempt, as the audit log has it.
 *
 * @param verdict   {@code charged} or {@code not_charged}
 * @param reference the PSP's name for the money; empty if none moved
 */
public record AttemptVerdict(String verdict, Optional<String> reference) {

    static Optional<AttemptVerdict> of(String verdict, String reference) {
        return Optional.ofNullable(verdict)
                .map(said -> new AttemptVerdict(said, Optional.ofNullable(reference).filter(name -> !name.isEmpty())));
    }

    public String inWords() {
        return verdict.replace('_', ' ') + reference.map(name -> " as " + name).orElse("");
    }
}
