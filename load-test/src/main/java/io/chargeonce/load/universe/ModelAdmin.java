package io.chargeonce.load.universe;

import java.lang.reflect.Constructor;
import java.util.Map;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.internals.CoordinatorKey;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.KafkaFutureImpl;

/** As much of an administrator's client as the sweeper needs. */
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

    private static ListConsumerGroupOffsetsResult result(Map<CoordinatorKey, ? extends KafkaFuture<?>> answer) {
        try {
            Constructor<ListConsumerGroupOffsetsResult> constructor = ListConsumerGroupOffsetsResult.class.getDeclaredConstructor(Map.class);
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
