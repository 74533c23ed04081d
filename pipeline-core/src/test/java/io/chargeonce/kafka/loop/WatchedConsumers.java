// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Real consumers that check every commit before it is sent, and that can die like after a SIGKILL: without another commit. */
final class WatchedConsumers implements Supplier<Consumer<byte[], byte[]>> {
    private final Supplier<Consumer<byte[], byte[]>> real;
    private final CommitCheck check;
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private volatile boolean dead;

    /** Says what is wrong with a commit. */
    interface CommitCheck {
        Optional<String> violation(TopicPartition partition, long offset);
    }

    WatchedConsumers(Supplier<Consumer<byte[], byte[]>> real, CommitCheck check) {
        this.real = real;
        this.check = check;
    }

    static WatchedConsumers unchecked(Supplier<Consumer<byte[], byte[]>> real) {
        return new WatchedConsumers(real, (partition, offset) -> Optional.empty());
    }

    void die() {
        dead = true;
    }

    Queue<String> violations() {
        return violations;
    }

    @Override
    @SuppressWarnings("unchecked") // A proxy's type can't say more.
    public Consumer<byte[], byte[]> get() {
        Consumer<byte[], byte[]> consumer = real.get();
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Consumer.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("commitAsync") || method.getName().equals("commitSync")) {
                        ((Map<TopicPartition, OffsetAndMetadata>) arguments[0])
                                .forEach((partition, next) -> check.violation(partition, next.offset()).ifPresent(violations::add));
                        if (dead) {
                            return null;
                        }
                    }
                    try {
                        return method.invoke(consumer, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
