// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.util.Optional;

/** Returns in one line what is wrong, or empty. Called on every health request, from several threads. */
@FunctionalInterface
public interface HealthCheck {
    Optional<String> problem() throws Exception;
}
