// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.util.Optional;

/**
 * An error that speaks of what was worked on, not of the process: something nested too deeply, or an assertion of ours. As an
 * exception it is treated like any other bug that one row runs into. Other errors stay errors, and say nothing about a row: no
 * memory, a class that is missing.
 */
public final class BrokenWork extends RuntimeException {

    private static final long serialVersionUID = 1;

    private BrokenWork(Error cause) {
        super(cause);
    }

    /** Empty for an error that speaks of the process. */
    static Optional<BrokenWork> of(Error error) {
        boolean isOfTheWork = error instanceof StackOverflowError || error instanceof AssertionError;
        return isOfTheWork ? Optional.of(new BrokenWork(error)) : Optional.empty();
    }
}
