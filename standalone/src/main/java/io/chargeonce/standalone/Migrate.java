package io.chargeonce.standalone;

import io.chargeonce.database.Migrations;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/** Brings a pipeline's schema and topics up to date. Idempotent. */
final class Migrate {

    private Migrate() {}

    /** Returns how many migrations were applied. */
    static int schema(PipelineSettings settings) {
        return Migrations.apply(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword());
    }

    /** Returns the topics that were created. */
    static List<String> topics(PipelineSettings settings, int partitions, Optional<Short> replicas) {
        Map<String, Object> client = KafkaConnection.of(settings.kafka(), settings.kafkaProperties()).clientProperties();
        client.put("request.timeout.ms", 10_000);
        client.put("default.api.timeout.ms", 20_000);
        try (Admin admin = Admin.create(client)) {
            return new TopicPlan(new Topics(settings.topicPrefix()), partitions, replicas).create(admin);
        } catch (KafkaException e) {
            throw new KafkaException("Kafka at %s: %s; check CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS and try again".formatted(
                    settings.kafka(), e.getMessage()), e);
        }
    }
}
