// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

/** How the members of a group divide the partitions. The loops are tested with both protocols. */
public enum GroupProtocol {
    /**
     * The broker assigns the partitions. While the group's coordinator is down, the client of Kafka 4.3 looks for it without a pause, and
     * each consumer keeps two threads busy (KAFKA-20253). So the services do not use this protocol.
     */
    CONSUMER("consumer"),
    /** One of the members assigns the partitions. */
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
