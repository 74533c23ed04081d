// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;

/** What the services rely on in Kafka: it holds for the real broker and for the model of one. */
abstract class BrokerContract {

    private static final Duration A_POLL = Duration.ofMillis(100);
    private static final int MOST_POLLS = 600;

    /** A broker as a test sees it. */
    interface Kafka {

        /** Of two partitions, stamped by the broker. */
        String newTopic();

        /** In a group named as the topic. It is given up by its group when it does not poll for two minutes of this Kafka's time. */
        Consumer<byte[], byte[]> newConsumer(String topic);

        Producer<byte[], byte[]> newProducer();

        /** Lets so much time pass that a consumer of this topic which does not poll is given up. */
        void outwaitASilentMember(String topic);
    }

    interface Scene {
        void play(Kafka kafka) throws Exception;
    }

    abstract void play(Scene scene) throws Exception;

    /** A consumer and what it was told. */
    private static final class Member implements ConsumerRebalanceListener {
        final Consumer<byte[], byte[]> consumer;
        final List<String> seen = new ArrayList<>();
        final List<Long> timestamps = new ArrayList<>();
        final Set<TopicPartition> owned = new HashSet<>();
        final List<String> told = new ArrayList<>();
        boolean commitsWhenRevoked;

        Member(Kafka kafka, String topic) {
            consumer = kafka.newConsumer(topic);
            consumer.subscribe(List.of(topic), this);
        }

        void poll() {
            consumer.poll(A_POLL).forEach(record -> {
                seen.add(new String(record.value(), StandardCharsets.UTF_8));
                timestamps.add(record.timestamp());
            });
        }

        void commit(TopicPartition partition, long offset) {
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(offset)), Duration.ofSeconds(10));
        }

        void close() {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(5)));
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            owned.addAll(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            told.add("revoked");
            owned.removeAll(Set.copyOf(partitions));
            if (commitsWhenRevoked) {
                partitions.forEach(partition -> commit(partition, 2));
            }
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            told.add("lost");
            owned.removeAll(Set.copyOf(partitions));
        }
    }

    private static void until(BooleanSupplier condition, Member... members) {
        for (int i = 0; i < MOST_POLLS && !condition.getAsBoolean(); i++) {
            for (Member member : members) {
                member.poll();
            }
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private static RecordMetadata send(Kafka kafka, String topic, int partition, String... values) throws Exception {
        RecordMetadata last = null;
        Producer<byte[], byte[]> producer = kafka.newProducer();
        for (String value : values) {
            var answer = producer
                    .send(new ProducerRecord<>(topic, partition, 12_345L, "key".getBytes(), value.getBytes(StandardCharsets.UTF_8)));
            producer.flush();
            last = answer.get();
        }
        producer.close();
        return last;
    }

    @Test
    void records_of_a_partition_come_in_the_order_in_which_they_were_acknowledged() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            assertThat(send(kafka, topic, 0, "a", "b", "c").offset()).isEqualTo(2);
            var member = new Member(kafka, topic);
            until(() -> member.seen.size() == 3, member);
            assertThat(member.seen).containsExactly("a", "b", "c");
            member.close();
        });
    }

    @Test
    void a_topic_stamped_by_the_broker_does_not_keep_the_sender_s_timestamp() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            send(kafka, topic, 0, "a");
            var member = new Member(kafka, topic);
            until(() -> !member.seen.isEmpty(), member);
            assertThat(member.timestamps).doesNotContain(12_345L);
            member.close();
        });
    }

    @Test
    void a_group_goes_on_where_it_committed_and_not_where_it_had_read() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            send(kafka, topic, 0, "a", "b", "c");
            var first = new Member(kafka, topic);
            until(() -> first.seen.size() == 3, first);
            first.commit(new TopicPartition(topic, 0), 1);
            first.close();
            var second = new Member(kafka, topic);
            until(() -> second.seen.size() == 2, second);
            assertThat(second.seen).containsExactly("b", "c");
            second.close();
        });
    }

    @Test
    void a_paused_partition_gives_nothing_until_it_is_resumed() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            var partition = new TopicPartition(topic, 0);
            var member = new Member(kafka, topic);
            until(() -> member.owned.contains(partition), member);
            member.consumer.pause(List.of(partition));
            send(kafka, topic, 0, "held back");
            send(kafka, topic, 1, "free");
            until(() -> !member.seen.isEmpty(), member);
            member.poll();
            assertThat(member.seen).containsExactly("free");
            member.consumer.resume(List.of(partition));
            until(() -> member.seen.size() == 2, member);
            assertThat(member.consumer.paused()).isEmpty();
            member.close();
        });
    }

    @Test
    void a_partition_is_revoked_with_a_last_commit_before_another_member_reads_it() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            send(kafka, topic, 0, "a", "b", "c");
            send(kafka, topic, 1, "a", "b", "c");
            var first = new Member(kafka, topic);
            until(() -> first.seen.size() == 6, first);
            first.commitsWhenRevoked = true;
            first.consumer.pause(first.owned);
            first.close();
            assertThat(first.told).containsExactly("revoked");
            var second = new Member(kafka, topic);
            until(() -> second.seen.size() == 2, second);
            assertThat(second.seen).containsExactly("c", "c");
            assertThat(second.consumer.paused()).isEmpty();
            second.close();
        });
    }

    @Test
    void a_member_that_was_given_up_cannot_commit_and_hears_that_its_partitions_are_lost() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            send(kafka, topic, 0, "a");
            var silent = new Member(kafka, topic);
            until(() -> silent.owned.size() == 2 && silent.seen.size() == 1, silent);
            kafka.outwaitASilentMember(topic);
            var heir = new Member(kafka, topic);
            until(() -> heir.owned.size() == 2 && heir.seen.size() == 1, heir);
            assertThatThrownBy(() -> silent.commit(new TopicPartition(topic, 0), 1)).isInstanceOf(CommitFailedException.class);
            until(() -> silent.told.contains("lost"), silent, heir);
            heir.close();
            silent.close();
        });
    }

    @Test
    void a_seek_says_what_is_read_next() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            var partition = new TopicPartition(topic, 0);
            send(kafka, topic, 0, "a", "b", "c");
            var member = new Member(kafka, topic);
            until(() -> member.seen.size() == 3, member);
            member.consumer.seek(partition, 1);
            assertThat(member.consumer.position(partition)).isEqualTo(1);
            until(() -> member.seen.size() == 5, member);
            assertThat(member.seen).containsExactly("a", "b", "c", "b", "c");
            member.close();
        });
    }

    @Test
    void a_wakeup_ends_the_next_poll() throws Exception {
        play(kafka -> {
            var member = new Member(kafka, kafka.newTopic());
            member.poll();
            member.consumer.wakeup();
            assertThatThrownBy(member::poll).isInstanceOf(WakeupException.class);
            member.close();
        });
    }

    @Test
    void a_partition_that_is_not_assigned_cannot_be_paused() throws Exception {
        play(kafka -> {
            String topic = kafka.newTopic();
            var member = new Member(kafka, topic);
            assertThatThrownBy(() -> member.consumer.pause(List.of(new TopicPartition(topic, 0))))
                    .isInstanceOf(IllegalStateException.class);
            member.close();
        });
    }
}
