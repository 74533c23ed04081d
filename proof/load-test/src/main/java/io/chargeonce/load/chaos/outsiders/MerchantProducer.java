// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.outsiders;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.StringSerializer;

/** A merchant that has payments by its intake topic, and makes the topic again. What Kafka has taken counts as accepted. For one thread. */
public final class MerchantProducer {

    private static final Topics TOPICS = new Topics("payments");
    private static final String MERCHANT = "acme";
    private static final int PAYMENTS = 5;
    private static final String BODY = "{\"amount\": %d, \"currency\": \"EUR\", \"payment_method\": \"pm_card_visa\"}";

    private final String kafka;
    private final String prefix;
    private final Consumer<ClientCall> history;
    private final TopicPartition partition = new TopicPartition(TOPICS.intakePrefix() + MERCHANT, 0);
    private final List<String> published = new ArrayList<>();

    /** @param prefix of its idempotency keys */
    public MerchantProducer(String kafka, String prefix, Consumer<ClientCall> history) {
        this.kafka = kafka;
        this.prefix = prefix;
        this.history = history;
    }

    /** The ids of all its payments. */
    public List<String> published() {
        return List.copyOf(published);
    }

    public void publish(Admin admin) throws InterruptedException, ExecutionException {
        create(admin);
        try (var producer = new KafkaProducer<>(Map.of("bootstrap.servers", kafka), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < PAYMENTS; i++) {
                String key = prefix + "-" + published.size();
                long amount = 10_000L + published.size();
                String id = PaymentId.derive(MERCHANT, new IdempotencyKey(key)).value();
                producer.send(new ProducerRecord<>(partition.topic(), key, BODY.formatted(amount))).get();
                published.add(id);
                history.accept(new ClientCall(MERCHANT, key, new ClientCall.Content(amount, "EUR", "pm_card_visa"), ClientCall.Result.OK,
                        Optional.of(id)));
            }
        }
    }

    private void create(Admin admin) throws InterruptedException, ExecutionException {
        try {
            admin.createTopics(List.of(new NewTopic(partition.topic(), 1, (short) 1))).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    /** Whether ingest has said of everything on the topic that it is done with it. */
    public boolean isRead(Admin admin) throws InterruptedException, ExecutionException {
        var committed = admin.listConsumerGroupOffsets(TOPICS.intakeGroup()).partitionsToOffsetAndMetadata().get().get(partition);
        long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
        return committed != null && committed.offset() == end;
    }

    public void delete(Admin admin) throws InterruptedException, ExecutionException {
        admin.deleteTopics(List.of(partition.topic())).all().get();
    }
}
