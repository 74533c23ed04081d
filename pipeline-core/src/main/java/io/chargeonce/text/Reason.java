// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.util.Optional;

/** Why a person does something. It stays in the audit log for ever. Pure. */
public final class Reason {

    private Reason() {}

    /**
     * What is wrong with a reason: it says nothing, such as the … that stands for it in our hints.
     *
     * @param option where it was given
     * @return a sentence without its end; empty if nothing is wrong
     */
    public static Optional<String> problem(String option, String reason) {
        return reason.codePoints().anyMatch(Character::isLetterOrDigit) ? Optional.empty()
                : Optional.of("%s is '%s', which is no reason: replace it with why, for the audit log keeps it for ever".formatted(option,
                        Printable.of(reason)));
    }
}
