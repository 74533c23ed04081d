// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.util.Optional;

/**
 * An {@link Error} that the work itself caused, not the process: too deep a recursion, or one of our assertions. As an exception it is
 * treated like any other bug that one row runs into. Other errors stay errors, because they say nothing about a row: no memory, a missing
 * class.
 */
public final class BrokenWork extends RuntimeException {

    private static final long serialVersionUID = 1;

    private BrokenWork(Error cause) {
        super(cause);
    }

    /** Empty for an error of the process. */
    static Optional<BrokenWork> of(Error error) {
        boolean isOfTheWork = error instanceof StackOverflowError || error instanceof AssertionError;
        return isOfTheWork ? Optional.of(new BrokenWork(error)) : Optional.empty();
    }
}
