// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

/** Unwinds a strand whose process was killed. An error, so that nothing that handles exceptions stops it. */
public final class Killed extends Error {

    private static final long serialVersionUID = 1;

    Killed() {
        super("killed", null, false, false);
    }
}
