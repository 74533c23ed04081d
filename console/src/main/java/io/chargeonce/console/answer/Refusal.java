// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.answer;

/** Ends a request with a problem. */
public final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient ConsoleProblem problem;

    Refusal(ConsoleProblem problem) {
        super(problem.detail());
        this.problem = problem;
    }

    public ConsoleProblem problem() {
        return problem;
    }
}
