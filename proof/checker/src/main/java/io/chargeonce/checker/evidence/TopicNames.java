// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Topics from their beginning to the end that they have now. For one thread. */
public interface TopicNames extends AutoCloseable {

    /** A topic that does not exist has no records. */
    void each(String topic, Consumer<ConsumerRecord<byte[], byte[]>> action);

    /** Whether no part of the pipeline has sent it, so that what it says is none of its doing. */
    default boolean isOfAStranger(ConsumerRecord<byte[], byte[]> record) {
        return false;
    }

    /** Whether everything that ever was on the topic is still there, as far as its offsets tell. */
    boolean isWhole(String topic);

    /** How long its records are kept at least; empty if nothing is ever deleted for its age. */
    Optional<Duration> retention(String topic);

    /** What the group has finished, by partition number; a partition without a commit is missing. */
    Map<Integer, Long> committed(String group, String topic);

    @Override
    void close();
}
