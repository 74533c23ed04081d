// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ModelBrokerTest extends BrokerContract {

    private static final class Model implements Kafka {
        private final Broker broker = new Broker();
        private int topics;

        @Override
        public String newTopic() {
            String topic = "topic-" + ++topics;
            broker.create(topic, 2, true);
            return topic;
        }

        @Override
        public Consumer<byte[], byte[]> newConsumer(String topic) {
            return broker.consumer(topic, false);
        }

        @Override
        public Producer<byte[], byte[]> newProducer() {
            return broker.producer();
        }

        @Override
        public void outwaitASilentMember(String topic) {
            Kernel.it().sleep(Duration.ofMinutes(2));
        }
    }

    @Override
    void play(Scene scene) {
        new Kernel(1).run(() -> {
            try {
                scene.play(new Model());
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void a_log_that_was_cut_and_grew_again_is_read_from_the_cut_on() {
        play(kafka -> {
            var broker = ((Model) kafka).broker;
            String topic = kafka.newTopic();
            var partition = new TopicPartition(topic, 0);
            append(broker, partition, "a", "b", "c");
            var first = reading(kafka, topic);
            assertThat(values(first)).containsExactly("a", "b", "c");
            first.commitSync(Map.of(partition, new OffsetAndMetadata(3, Optional.of(0), "")), Duration.ofSeconds(10));
            broker.log(partition).loseTail(2);
            append(broker, partition, "d", "e", "f", "g");
            assertThat(values(first)).containsExactly("d", "e", "f", "g");
            first.close(CloseOptions.timeout(Duration.ZERO));
            assertThat(values(reading(kafka, topic))).containsExactly("d", "e", "f", "g");
        });
    }

    @Test
    void a_partition_that_cannot_be_read_costs_no_record_of_another() {
        play(kafka -> {
            var broker = ((Model) kafka).broker;
            String topic = kafka.newTopic();
            append(broker, new TopicPartition(topic, 0), "a");
            append(broker, new TopicPartition(topic, 1), "b");
            broker.troubles.breaks(new TopicPartition(topic, 1), () -> new KafkaException("broken"));
            var consumer = reading(kafka, topic);
            assertThat(consumer.poll(Duration.ofMillis(100))).extracting(ConsumerRecord::partition).containsExactly(0);
            assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(100))).hasMessage("broken");
            broker.troubles.mend(new TopicPartition(topic, 1));
            assertThat(values(consumer)).containsExactly("b");
        });
    }

    private static Consumer<byte[], byte[]> reading(Kafka kafka, String topic) {
        Consumer<byte[], byte[]> consumer = kafka.newConsumer(topic);
        consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                // Nothing is held of them.
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                // Each is read at once.
            }
        });
        return consumer;
    }

    private static void append(Broker broker, TopicPartition partition, String... values) {
        for (String value : values) {
            broker.append(partition, new ProducerRecord<>(partition.topic(), partition.partition(), null, value.getBytes(UTF_8)));
        }
    }

    /** All that comes until nothing comes any more. */
    private static List<String> values(Consumer<byte[], byte[]> consumer) {
        var values = new ArrayList<String>();
        for (var records = consumer.poll(Duration.ofMillis(100)); !records.isEmpty(); records = consumer.poll(Duration.ofMillis(100))) {
            records.forEach(record -> values.add(new String(record.value(), UTF_8)));
        }
        return values;
    }
}
