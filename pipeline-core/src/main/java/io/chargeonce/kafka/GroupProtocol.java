// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

/** How the members of a group share out partitions. The loops work with both, and are tested with both. */
public enum GroupProtocol {
    /**
     * The broker shares them out. While the group's coordinator is away, the client of Kafka 4.3 asks for it without a pause: each
     * consumer keeps two threads busy (KAFKA-20253). So the services do not use it.
     */
    CONSUMER("consumer"),
    /** The members share them out among themselves. */
    CLASSIC("classic");

    private final String text;

    GroupProtocol(String text) {
        this.text = text;
    }

    /** What Kafka calls it. */
    @Override
    public String toString() {
        return text;
    }
}
