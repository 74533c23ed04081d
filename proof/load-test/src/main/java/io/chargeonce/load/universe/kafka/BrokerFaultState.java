// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/** What Kafka refuses now, and to whom. Only the strand that has the turn may call it. */
public final class BrokerFaultState {

    private final Set<String> missing = new HashSet<>();
    private final Map<String, Supplier<RuntimeException>> refused = new HashMap<>();
    private final Map<TopicPartition, Supplier<RuntimeException>> broken = new HashMap<>();
    private final List<ModelProducer> producers = new ArrayList<>();
    private Optional<Supplier<RuntimeException>> sends = Optional.empty();
    /** How far the broker's clock is ahead. */
    private long clockMicros;

    public void clear() {
        missing.clear();
        refused.clear();
        broken.clear();
        sends = Optional.empty();
    }

    public void missing(String topic, boolean is) {
        if (is) {
            missing.add(topic);
        } else {
            missing.remove(topic);
        }
    }

    boolean isMissing(String topic) {
        return missing.contains(topic);
    }

    public void refuse(String topic, Supplier<RuntimeException> why) {
        refused.put(topic, why);
    }

    public void accept(String topic) {
        refused.remove(topic);
    }

    Optional<RuntimeException> refusalOf(String topic) {
        return Optional.ofNullable(refused.get(topic)).map(Supplier::get);
    }

    public void breaks(TopicPartition partition, Supplier<RuntimeException> why) {
        broken.put(partition, why);
    }

    public void mend(TopicPartition partition) {
        broken.remove(partition);
    }

    Optional<RuntimeException> whyBroken(TopicPartition partition) {
        return Optional.ofNullable(broken.get(partition)).map(Supplier::get);
    }

    /** @param why what every send throws; empty for none any more */
    public void sends(Optional<Supplier<RuntimeException>> why) {
        sends = why;
    }

    Optional<RuntimeException> whyNoSend() {
        return sends.map(Supplier::get);
    }

    void opened(ModelProducer producer) {
        producers.add(producer);
    }

    /** Those of living processes that were not closed. */
    public List<ModelProducer> producers() {
        return producers.stream().filter(producer -> producer.host.alive && !producer.isClosed()).toList();
    }

    public void clock(long aheadMicros) {
        clockMicros = aheadMicros;
    }

    long clockMicros() {
        return clockMicros;
    }
}
