package io.chargeonce.load.universe;

import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

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
}
