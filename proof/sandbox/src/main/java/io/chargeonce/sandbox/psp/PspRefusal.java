// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

/** A request that gets this answer instead of being executed. The key that came with it may be sent again. */
public abstract class PspRefusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    protected PspRefusal(String message) {
        super(message, null, false, false);
    }

    public abstract PspAnswer answer();
}
