// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.util.Optional;

/** Says in one line what is wrong, or nothing. Called on every request for health, from several threads. */
@FunctionalInterface
public interface HealthCheck {
    Optional<String> problem() throws Exception;
}
