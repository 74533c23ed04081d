// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

/**
 * A topic was deleted and created again while a consumer was running. The consumer has to be replaced: the positions and the leader epoch
 * that it remembers from the old topic can keep it from ever reading a partition of the new one.
 */
final class TopicMadeAgain extends RuntimeException {
    private static final long serialVersionUID = 1;

    TopicMadeAgain(String topic) {
        super("topic " + topic + " was deleted and created again");
    }
}
