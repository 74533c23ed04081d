// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Database;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.terminal.DlqCommand;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.chargeonce.vault.Vault;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.EnableKafkaRetryTopic;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.retrytopic.RetryTopicHeaders;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.backoff.FixedBackOff;

/** What a real Spring Kafka application gave up: taken in, merged, and handled by that application as if it were new. */
class SpringDeadLettersTest {

    private static final byte[] KEY = {0, -1, 7};
    private static final byte[] VALUE = {1, -128};
    private static final int ATTEMPTS = 2;

    private final Ground ground = new Ground();
    private final Ground.Plot plot = ground.newPlot();
    private final String orders = "orders-of-" + plot.topics().prefix();
    private final Orders listener = new Orders();
    private final KafkaConnection kafka = KafkaConnection.of(plot.kafka(), Optional.empty());

    @BeforeEach
    void makeTheTopics() throws Exception {
        var names = Stream.of("", "-retry", "-retry-0", "-retry-100", "-dlt").map(end -> orders + end);
        ground.admin().createTopics(names.map(name -> new NewTopic(name, 2, (short) 1)).toList()).all().get();
    }

    @AfterEach
    void clear() throws Exception {
        plot.close();
        ground.close();
    }

    @ParameterizedTest
    @ValueSource(classes = {RetryTopics.class, Recoverer.class})
    void what_spring_gave_up_goes_back_and_is_handled_as_a_new_record(Class<?> application) throws Exception {
        try (var spring = start(application)) {
            send();
            await(() -> listener.given.size() == ATTEMPTS && inDeadLetterTopic() == 1);

            dlq("import", "--from-topic", orders + "-dlt", "--reason", "one place to look");
            assertThat(text("SELECT cause || ' ' || source_topic || ' ' || target_topic FROM dead_letter"))
                    .isEqualTo("SpringDeadLettersTest$OutOfStock " + orders + " " + orders);
            dlq("merge", "--all", "--canary", "0", "--yes");
            publish();
            await(() -> listener.given.size() == 2 * ATTEMPTS && inDeadLetterTopic() == 2);
            assertThat(retryAttempts(listener.given.get(ATTEMPTS))).as("its attempts are counted from the start").isEmpty();

            listener.isMended = true;
            dlq("import", "--from-topic", orders + "-dlt", "--reason", "it died again");
            dlq("merge", "--all", "--canary", "0", "--yes");
            publish();
            await(() -> listener.handled.size() == 1);
        }
        ConsumerRecord<byte[], byte[]> handled = listener.handled.getFirst();
        assertThat(handled.topic()).isEqualTo(orders);
        assertThat(handled.key()).isEqualTo(KEY);
        assertThat(handled.value()).isEqualTo(VALUE);
        assertThat(Arrays.stream(handled.headers().toArray()).map(Header::key).filter(name -> !name.startsWith("kafka_listener")))
                .containsExactly("tenant", "chargeonce-merges", "chargeonce-dead-letter");
        assertThat(new String(handled.headers().lastHeader("chargeonce-merges").value(), StandardCharsets.UTF_8)).isEqualTo("2");
        assertThat(text("SELECT string_agg(state, ' ') FROM dead_letter")).isEqualTo("merged merged");
    }

    private static List<Header> retryAttempts(ConsumerRecord<byte[], byte[]> record) {
        return Arrays.stream(record.headers().toArray()).filter(header -> header.key().equals(RetryTopicHeaders.DEFAULT_HEADER_ATTEMPTS))
                .toList();
    }

    private long inDeadLetterTopic() throws Exception {
        var partitions = Stream.of(0, 1).collect(Collectors.toMap(number -> new TopicPartition(orders + "-dlt", number),
                number -> OffsetSpec.latest()));
        return ground.admin().listOffsets(partitions).all().get().values().stream().mapToLong(end -> end.offset()).sum();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
    }

    private void send() throws Exception {
        var record = new ProducerRecord<>(orders, KEY, VALUE);
        record.headers().add("tenant", new byte[] {-1, 0});
        try (var producer = new ProducerSettings(kafka, "shop").newProducer()) {
            producer.send(record).get();
        }
    }

    private void dlq(String... arguments) {
        var command = new DlqCommand(() -> new DeadLetterQueue(Database.openForCommand(plot.jdbcUrl(), "postgres", ""), plot.topics(),
                Vault.IN_THE_CLEAR), () -> kafka);
        assertThat(command.commandLine(arguments).execute(arguments)).isZero();
    }

    private void publish() {
        try (var database = Database.open(plot.jdbcUrl(), "postgres", "", 2);
             var relay =
                     new OutboxRelay(database, Staging::request, () -> new ProducerSettings(kafka, "relay").newProducer(), "/chargeonce",
                             new SimpleMeterRegistry())
                             .start()) {
            await(() -> text("SELECT count(*) FROM outbox").equals("0"));
        }
    }

    private String text(String sql) throws SQLException {
        try (var connection = plot.connect(); var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private AnnotationConfigApplicationContext start(Class<?> application) {
        var context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("orders", orders, "kafka", plot.kafka())));
        context.getBeanFactory().registerSingleton("orders", listener);
        context.register(application);
        context.refresh();
        return context;
    }

    /** The application's work, which fails until it is mended. */
    static final class Orders {

        private final List<ConsumerRecord<byte[], byte[]>> given = new CopyOnWriteArrayList<>();
        private final List<ConsumerRecord<byte[], byte[]>> handled = new CopyOnWriteArrayList<>();
        private volatile boolean isMended;

        void handle(ConsumerRecord<byte[], byte[]> record) {
            if (!isMended) {
                given.add(record);
                throw new OutOfStock();
            }
            handled.add(record);
        }
    }

    static final class OutOfStock extends RuntimeException {

        private static final long serialVersionUID = 1;

        OutOfStock() {
            super("out of stock");
        }
    }

    abstract static class Application {

        @Bean
        ConsumerFactory<byte[], byte[]> consumers(Environment its) {
            return new DefaultKafkaConsumerFactory<>(Map.of("bootstrap.servers", its.getRequiredProperty("kafka"), "auto.offset.reset",
                    "earliest", "key.deserializer", ByteArrayDeserializer.class, "value.deserializer", ByteArrayDeserializer.class));
        }

        @Bean
        KafkaTemplate<byte[], byte[]> kafkaTemplate(Environment its) {
            return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of("bootstrap.servers", its.getRequiredProperty("kafka")),
                    new ByteArraySerializer(), new ByteArraySerializer()));
        }

        @Bean
        TaskScheduler taskScheduler() {
            return new ThreadPoolTaskScheduler();
        }

        static ConcurrentKafkaListenerContainerFactory<byte[], byte[]> containers(ConsumerFactory<byte[], byte[]> consumers) {
            var factory = new ConcurrentKafkaListenerContainerFactory<byte[], byte[]>();
            factory.setConsumerFactory(consumers);
            return factory;
        }
    }

    /** Retry topics, without blocking. */
    @Configuration(proxyBeanMethods = false)
    @EnableKafkaRetryTopic
    static class RetryTopics extends Application {

        private final Orders orders;

        RetryTopics(Orders orders) {
            this.orders = orders;
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<byte[], byte[]> kafkaListenerContainerFactory(ConsumerFactory<byte[], byte[]> consumers) {
            return containers(consumers);
        }

        @RetryableTopic(attempts = "" + ATTEMPTS, backOff = @BackOff(delay = 100), autoCreateTopics = "false",
                autoStartDltHandler = "false")
        @KafkaListener(topics = "${orders}", groupId = "${orders}")
        void handle(ConsumerRecord<byte[], byte[]> record) {
            orders.handle(record);
        }

        @DltHandler
        void ignore(ConsumerRecord<byte[], byte[]> record) {}
    }

    /** Retries in place, then the recoverer. */
    @Configuration(proxyBeanMethods = false)
    @EnableKafka
    static class Recoverer extends Application {

        private final Orders orders;

        Recoverer(Orders orders) {
            this.orders = orders;
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<byte[], byte[]> kafkaListenerContainerFactory(ConsumerFactory<byte[], byte[]> consumers,
                                                                                              KafkaTemplate<byte[], byte[]> template) {
            var factory = containers(consumers);
            factory.setCommonErrorHandler(
                    new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template), new FixedBackOff(100, ATTEMPTS - 1)));
            return factory;
        }

        @KafkaListener(topics = "${orders}", groupId = "${orders}")
        void handle(ConsumerRecord<byte[], byte[]> record) {
            orders.handle(record);
        }
    }
}
