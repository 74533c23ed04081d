// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.kafka.annotation.EnableKafkaRetryTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A Spring Kafka application as Spring Boot would set it up, around one listener. */
final class SpringApplication {

    /**
     * @param concurrency listener threads
     * @param pollRecords the most that one poll returns
     * @param connections in the database pool
     */
    record Setup(String name, int concurrency, int pollRecords, int connections) {}

    private SpringApplication() {}

    /** @param beans what the listener needs besides */
    static AutoCloseable start(Arena arena, Setup setup, Class<?> listener, Object... beans) {
        var context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("bench", Map.of(
                "bench.topic", arena.requests(), "bench.group", arena.requests() + "." + setup.name,
                "bench.concurrency", setup.concurrency)));
        context.registerBean(Arena.class, () -> arena);
        context.registerBean(Setup.class, () -> setup);
        context.registerBean(PeerPayments.class, () -> new PeerPayments(arena, setup.connections));
        for (Object bean : beans) {
            context.getBeanFactory().registerSingleton(bean.getClass().getName(), bean);
        }
        context.register(Configured.class, listener);
        context.refresh();
        return context;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableKafkaRetryTopic
    static class Configured {

        @Bean
        ConsumerFactory<byte[], byte[]> consumerFactory(Arena arena, Setup setup) {
            return new DefaultKafkaConsumerFactory<>(Map.of("bootstrap.servers", arena.plot().kafka(),
                    "auto.offset.reset", "earliest", "enable.auto.commit", "false", "max.poll.records", setup.pollRecords,
                    "key.deserializer", ByteArrayDeserializer.class, "value.deserializer", ByteArrayDeserializer.class));
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<byte[], byte[]> kafkaListenerContainerFactory(ConsumerFactory<byte[], byte[]> consumers) {
            var factory = new ConcurrentKafkaListenerContainerFactory<byte[], byte[]>();
            factory.setConsumerFactory(consumers);
            return factory;
        }

        @Bean
        ProducerFactory<byte[], byte[]> producerFactory(Arena arena) {
            Map<String, Object> properties = new HashMap<>(Map.of("bootstrap.servers", arena.plot().kafka(), "acks", "all",
                    "compression.type", "lz4", "linger.ms", "5"));
            return new DefaultKafkaProducerFactory<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Bean
        KafkaTemplate<byte[], byte[]> kafkaTemplate(ProducerFactory<byte[], byte[]> producers) {
            return new KafkaTemplate<>(producers);
        }

        @Bean
        KafkaAdmin kafkaAdmin(Arena arena) {
            return new KafkaAdmin(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, arena.plot().kafka()));
        }

        @Bean
        TaskScheduler taskScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }
}
