// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kernel.Kernel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Card numbers where none belong: poison on work topics here; {@link Shop} and {@link SimulatedPsp} have others. Only the strand that has
 * the turn may call it.
 */
final class CardTraffic {

    static final String NUMBER = "4242 4242 4242 4242";
    static final String IN_A_BODY = "4242-4242-4242-4242";
    /** What must be nowhere in the end but where strangers put it. */
    static final List<String> NOWHERE = List.of(NUMBER, IN_A_BODY, "4242424242424242");

    private static final List<String> POISON = List.of("{\"card\":\"4242424242424242\",\"cvc\":\"737\",\"name\":\"A. Person\"}",
            "4242 4242 4242 4242 12/29 737", "{\"type\":\"payment.requested\",\"pan\":4242424242424242}");

    /** No other poison is like it: after a lost tail, its place may have been another's. */
    private static final String AT_LAST = "4242 4242 4242 4242 at last";

    private final Kernel kernel;
    private final Broker broker;

    CardTraffic(Kernel kernel, Broker broker) {
        this.kernel = kernel;
        this.broker = broker;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.CARD_DATA, () -> {
            kernel.tell("a card number in poison", "a stranger sends a card number to a work topic");
            poison(KafkaFaultActions.WORK.get(kernel.random().nextInt(KafkaFaultActions.WORK.size())));
        });
    }

    void poison(String topic) {
        poison(topic, POISON.get(kernel.random().nextInt(POISON.size())));
    }

    void poisonAtLast(String topic) {
        poison(topic, AT_LAST);
    }

    private void poison(String topic, String value) {
        var record = new ProducerRecord<>(topic, NUMBER.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
        broker.append(broker.partitionOf(record), record);
    }

    static boolean isAtLast(byte[] value) {
        return value != null && AT_LAST.equals(new String(value, StandardCharsets.UTF_8));
    }

    /** No part of the pipeline has sent it: a stranger did, or a broker copied what a stranger sent. */
    static boolean isStrange(ConsumerRecord<byte[], byte[]> record) {
        return KafkaFaultActions.WORK.contains(record.topic()) && record.value() != null
                && (POISON.contains(new String(record.value(), StandardCharsets.UTF_8)) || isAtLast(record.value()));
    }
}
