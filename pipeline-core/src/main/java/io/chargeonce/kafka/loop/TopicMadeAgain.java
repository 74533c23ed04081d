// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

/**
 * Under a running consumer a topic was deleted and made again. The consumer has to be replaced: what it remembers of the old topic,
 * positions and the number of its last leader, can keep it from ever reading a partition of the new one.
 */
final class TopicMadeAgain extends RuntimeException {
    private static final long serialVersionUID = 1;

    TopicMadeAgain(String topic) {
        super("topic " + topic + " was deleted and made again");
    }
}
