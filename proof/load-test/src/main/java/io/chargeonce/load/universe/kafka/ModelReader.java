// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** A consumer without a group, as far as the services use one only to look. */
final class ModelReader {

    private final Broker broker;
    private final Map<TopicPartition, Long> positions = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();

    ModelReader(Broker broker) {
        this.broker = broker;
    }

    public List<PartitionInfo> partitionsFor(String topic) {
        requireUp();
        if (broker.troubles.isMissing(topic)) {
            throw new TimeoutException("Timeout expired while fetching topic metadata");
        }
        var infos = new ArrayList<PartitionInfo>();
        broker.partitions(topic).forEach(partition -> infos.add(
                new PartitionInfo(topic, partition.partition(), Node.noNode(), new Node[0], new Node[0])));
        return infos;
    }

    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        requireUp();
        var offsets = new HashMap<TopicPartition, Long>();
        partitions.forEach(partition -> offsets.put(partition, 0L));
        return offsets;
    }

    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
        requireUp();
        var offsets = new HashMap<TopicPartition, Long>();
        partitions.forEach(partition -> offsets.put(partition, broker.log(partition).end()));
        return offsets;
    }

    public void assign(Collection<TopicPartition> partitions) {
        unsubscribe();
        partitions.forEach(partition -> positions.put(partition, 0L));
    }

    public void seek(TopicPartition partition, long offset) {
        positions.put(partition, offset);
    }

    public void pause(Collection<TopicPartition> partitions) {
        paused.addAll(partitions);
    }

    public ConsumerRecords<byte[], byte[]> poll(Duration patience) {
        Kernel.it().point("before a look at a topic");
        if (broker.isDown()) {
            Kernel.it().sleep(patience);
            return ConsumerRecords.empty();
        }
        var records = new LinkedHashMap<TopicPartition, List<ConsumerRecord<byte[], byte[]>>>();
        positions.replaceAll((partition, position) -> {
            if (paused.contains(partition) || position >= broker.log(partition).end()) {
                return position;
            }
            records.put(partition, broker.log(partition).read(position, 1));
            return position + 1;
        });
        if (records.isEmpty()) {
            Kernel.it().sleep(patience);
        }
        return new ConsumerRecords<>(records, Map.of());
    }

    public void unsubscribe() {
        positions.clear();
        paused.clear();
    }

    public void close() {
        unsubscribe();
    }

    private void requireUp() {
        Kernel.it().point("before a look at a topic");
        if (broker.isDown()) {
            throw new TimeoutException("the simulated broker does not answer");
        }
    }
}
