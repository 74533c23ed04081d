// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/**
 * How far an operation has come in its current generation.
 *
 * @param countedAttempts attempts that reached a PSP and definitely failed, the one being judged not among them
 * @param tier            the tier it waited in last, 0 before the first; parking climbs it without counting attempts
 */
public record Progress(int countedAttempts, int tier) {

    public Progress {
        if (countedAttempts < 0 || tier < 0) {
            throw new IllegalArgumentException("Bug! Progress never runs below nothing");
        }
    }
}
