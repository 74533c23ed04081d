// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import io.chargeonce.load.universe.kernel.Kernel;
import java.lang.reflect.Constructor;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.internals.CoordinatorKey;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;

/** As much of an administrator's client as the sweeper and the record loops need. */
final class ModelAdmin {

    private final Broker broker;

    ModelAdmin(Broker broker) {
        this.broker = broker;
    }

    public ListConsumerGroupOffsetsResult listConsumerGroupOffsets(String group) {
        Kernel.it().point("before a look at a group");
        var offsets = new KafkaFutureImpl<Map<?, ?>>();
        if (broker.isDown()) {
            offsets.completeExceptionally(new TimeoutException("the simulated broker does not answer"));
        } else {
            offsets.complete(broker.group(group).committed());
        }
        return result(Map.of(CoordinatorKey.byGroupId(group), offsets));
    }

    public DescribeTopicsResult describeTopics(Collection<String> names) {
        return describeTopics(names, new DescribeTopicsOptions());
    }

    public DescribeTopicsResult describeTopics(Collection<String> names, DescribeTopicsOptions options) {
        Kernel.it().point("before a look at topics");
        var answers = new LinkedHashMap<String, KafkaFuture<TopicDescription>>();
        names.forEach(name -> answers.put(name, broker.isDown() ? failed(new TimeoutException("the simulated broker does not answer"))
                : broker.troubles.isMissing(name) ? failed(new UnknownTopicOrPartitionException("the simulated topic is missing"))
                        : KafkaFuture.completedFuture(describe(name))));
        return new Topics(answers);
    }

    private TopicDescription describe(String name) {
        List<TopicPartitionInfo> partitions = broker.partitions(name).stream()
                .map(partition -> new TopicPartitionInfo(partition.partition(), null, List.of(), List.of())).toList();
        return new TopicDescription(name, false, partitions, Set.of(), broker.id(name));
    }

    private static KafkaFuture<TopicDescription> failed(RuntimeException why) {
        var answer = new KafkaFutureImpl<TopicDescription>();
        answer.completeExceptionally(why);
        return answer;
    }

    private static final class Topics extends DescribeTopicsResult {
        Topics(Map<String, KafkaFuture<TopicDescription>> answers) {
            super(null, answers);
        }
    }

    private static ListConsumerGroupOffsetsResult result(Map<CoordinatorKey, ? extends KafkaFuture<?>> answer) {
        try {
            Constructor<ListConsumerGroupOffsetsResult> constructor =
                    ListConsumerGroupOffsetsResult.class.getDeclaredConstructor(Map.class);
            constructor.setAccessible(true);
            return constructor.newInstance(answer);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Bug! Kafka's admin client has changed", e);
        }
    }

    public void close() {
        // It holds nothing.
    }
}
