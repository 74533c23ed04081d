// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/**
 * Details of a decline.
 *
 * @param advice      the network's advice on what to do next
 * @param networkCode the network's own response code
 */
public record DeclineAdvice(Optional<String> advice, Optional<String> networkCode) {

    public static final DeclineAdvice NONE = new DeclineAdvice(Optional.empty(), Optional.empty());
}
