// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.util.List;

/** The settings cannot be used. Lists everything that is wrong with them, one problem per line. */
public final class SettingsProblems extends RuntimeException {
    private final List<String> problems;

    public SettingsProblems(List<String> problems) {
        super("Wrong settings, nothing was started:\n  " + String.join("\n  ", problems));
        this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
        return problems;
    }
}
