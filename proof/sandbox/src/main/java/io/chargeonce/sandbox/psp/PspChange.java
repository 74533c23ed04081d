// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.Optional;

/** What one execution changes in a PSP's objects; all of it becomes visible, or none. */
public interface PspChange {
    /** The money that moves with it. */
    Optional<Movement> movement();
}
