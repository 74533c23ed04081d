// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** Which partitions a failed poll is about. Kafka's consumer names the partition of a corrupt batch only in its message. Pure. */
final class Unreadable {
    private Unreadable() {}

    /** Those of the assigned partitions that the failure names; empty if it is not about single partitions. */
    static Set<TopicPartition> partitions(KafkaException failure, Collection<TopicPartition> assigned) {
        return switch (failure) {
            case TopicAuthorizationException forbidden -> assigned.stream()
                    .filter(partition -> forbidden.unauthorizedTopics().contains(partition.topic())).collect(Collectors.toSet());
            case RecordDeserializationException record -> Set.of(record.topicPartition());
            // The fetcher throws the bare class. Everything else that breaks a consumer has a class of its own.
            case KafkaException bare when bare.getClass() == KafkaException.class -> named(String.valueOf(bare.getMessage()), assigned);
            case KafkaException another -> Set.of();
        };
    }

    private static Set<TopicPartition> named(String message, Collection<TopicPartition> assigned) {
        List<String> words = List.of(message.split("[\\s,:;]+"));
        return assigned.stream().filter(partition -> words.stream().anyMatch(word -> isName(word, partition.toString())))
                .collect(Collectors.toSet());
    }

    /** The last word of a sentence ends with a full stop. */
    private static boolean isName(String word, String partition) {
        return word.equals(partition) || word.equals(partition + ".");
    }
}
