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

/** Which partitions a failed poll complains about. Kafka's consumer names a corrupt batch's partition in its message alone. Pure. */
final class Unreadable {
    private Unreadable() {}

    /** Of those assigned; empty if the failure is not one of single partitions. */
    static Set<TopicPartition> partitions(KafkaException failure, Collection<TopicPartition> assigned) {
        return switch (failure) {
            case TopicAuthorizationException forbidden -> assigned.stream()
                    .filter(partition -> forbidden.unauthorizedTopics().contains(partition.topic())).collect(Collectors.toSet());
            case RecordDeserializationException record -> Set.of(record.topicPartition());
            // The fetcher throws the bare class. What else breaks a consumer has classes of its own.
            case KafkaException bare when bare.getClass() == KafkaException.class -> named(String.valueOf(bare.getMessage()), assigned);
            case KafkaException another -> Set.of();
        };
    }

    private static Set<TopicPartition> named(String message, Collection<TopicPartition> assigned) {
        List<String> words = List.of(message.split("[\\s,:;]+"));
        return assigned.stream().filter(partition -> words.stream().anyMatch(word -> isName(word, partition.toString())))
                .collect(Collectors.toSet());
    }

    /** The last word of a sentence has its full stop. */
    private static boolean isName(String word, String partition) {
        return word.equals(partition) || word.equals(partition + ".");
    }
}
