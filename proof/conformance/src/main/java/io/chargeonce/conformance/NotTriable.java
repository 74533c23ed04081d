// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

/** The rules cannot be tried on this server, and a report would mislead. The message says in one line why, and what to do. */
public final class NotTriable extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean unreachable;

    private NotTriable(String message, boolean unreachable) {
        super(message);
        this.unreachable = unreachable;
    }

    /** Something in the target has to be changed. */
    static NotTriable wrongTarget(String message) {
        return new NotTriable(message, false);
    }

    /** The server is away or unwell. */
    static NotTriable unreachable(String message) {
        return new NotTriable(message, true);
    }

    boolean isUnreachable() {
        return unreachable;
    }
}
