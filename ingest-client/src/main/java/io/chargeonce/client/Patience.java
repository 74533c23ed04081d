// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.time.Duration;

/**
 * How long the client waits for a server.
 *
 * @param answer  from the sending of one payment to the last byte of its answer
 * @param batch   from the sending of a batch to the first byte of its answers
 * @param silence within a batch's answers, from one line to the next
 */
public record Patience(Duration answer, Duration batch, Duration silence) {

    public static final Patience USUAL = new Patience(Duration.ofSeconds(20), Duration.ofMinutes(10), Duration.ofSeconds(90));

    public Patience {
        if (!answer.isPositive() || !batch.isPositive() || !silence.isPositive()) {
            throw new IllegalArgumentException("each time limit is above zero");
        }
    }
}
