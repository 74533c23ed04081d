// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.sandbox.TestStack;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.awaitility.Awaitility;

class RealBrokerTest extends BrokerContract {

    private static final KafkaConnection CONNECTION = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());

    private record Real(Admin admin) implements Kafka {

        @Override
        public String newTopic() {
            String topic = "contract-" + UUID.randomUUID();
            try {
                admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1).configs(Map.of("message.timestamp.type", "LogAppendTime"))))
                        .all().get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
            return topic;
        }

        /** As the services' own, but given up after two seconds in place of a minute. */
        @Override
        public Consumer<byte[], byte[]> newConsumer(String topic) {
            var properties = new HashMap<>(new ConsumerSettings(CONNECTION, topic, GroupProtocol.CONSUMER).properties());
            properties.put("max.poll.interval.ms", 2_000);
            return new KafkaConsumer<>(properties);
        }

        @Override
        public Producer<byte[], byte[]> newProducer() {
            return new ProducerSettings(CONNECTION, "contract").newProducer();
        }

        @Override
        public void outwaitASilentMember(String topic) {
            Awaitility.await().atMost(Duration.ofSeconds(60))
                    .until(() -> admin.describeConsumerGroups(List.of(topic)).all().get().get(topic).members().isEmpty());
        }
    }

    @Override
    void play(Scene scene) throws Exception {
        try (var admin = Admin.create(CONNECTION.clientProperties())) {
            scene.play(new Real(admin));
        }
    }
}
