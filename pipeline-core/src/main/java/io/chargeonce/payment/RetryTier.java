// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.time.Duration;

/**
 * One delayed topic.
 *
 * @param number 1 is the shortest
 * @param delay  the shortest wait of a record there
 */
public record RetryTier(int number, Duration delay) {

    public RetryTier {
        if (number < 1 || delay.isNegative() || delay.isZero()) {
            throw new IllegalArgumentException("a retry tier is numbered from 1 and waits longer than nothing");
        }
    }
}
