// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/**
 * How far an operation has come in its current generation.
 *
 * @param countedAttempts attempts that reached a PSP and definitely failed, without the one being judged
 * @param tier            the tier it last waited in, 0 before the first; parking moves up the tiers without counting attempts
 */
public record Progress(int countedAttempts, int tier) {

    public Progress {
        if (countedAttempts < 0 || tier < 0) {
            throw new IllegalArgumentException("Bug! Progress is never negative");
        }
    }
}
