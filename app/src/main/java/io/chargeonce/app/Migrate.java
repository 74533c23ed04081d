// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.database.Migrations;
import io.chargeonce.database.People;
import io.chargeonce.database.Roles;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.wire.AccessPlan;
import io.chargeonce.wire.TopicCheck;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclBinding;

/** Brings a pipeline's schema and topics up to date. Idempotent. */
public final class Migrate {

    private Migrate() {}

    /** Returns how many migrations were applied. */
    public static int schema(PipelineSettings settings) {
        return Migrations.apply(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get());
    }

    public static Roles.Applied roles(PipelineSettings settings, Optional<Path> passwords) {
        return Roles.apply(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), passwords);
    }

    static void person(PipelineSettings settings, String login, String role, Optional<Path> passwords) {
        People.add(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), login, role,
                passwords.map(directory -> directory.resolve(login)).filter(Files::exists).map(Roles::secret));
    }

    static void removePerson(PipelineSettings settings, String login) {
        People.remove(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), login);
    }

    /** @param limits by currency, or '*' for the number of dead letters; none is no limit */
    static void fourEyes(PipelineSettings settings, Map<String, Long> limits) {
        People.limit(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), limits);
    }

    /** All processes must have these retry tiers from now on. */
    public static void agreeOnTiers(PipelineSettings settings) {
        new SettingsAgreement(settings, new PrintWriter(Writer.nullWriter())).onTiers(true);
    }

    /** A line for each right that is not as {@link #roles} left it. */
    static List<String> driftedGrants(PipelineSettings settings) {
        return People.driftedGrants(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get());
    }

    /** Returns the topics that were created. */
    public static List<String> topics(PipelineSettings settings, int partitions, Optional<Short> replicas) {
        return withKafka(settings, admin -> new TopicPlan(new Topics(settings.topicPrefix()), settings.tiers().size(), partitions, replicas)
                .create(admin));
    }

    /** What the topics' state is after {@link #topics}. */
    record TopicState(List<String> grown, List<TopicCheck.Difference> repaired, List<TopicCheck.Difference> differences,
            Optional<Boolean> makeThemselves) {}

    /**
     * Compares existing topics with the plan.
     *
     * @param partitions how many to give to topics that have fewer; empty leaves their number
     */
    static TopicState checkTopics(PipelineSettings settings, Optional<Integer> partitions, Optional<Short> replicas, boolean repair) {
        return withKafka(settings, admin -> {
            var check = new TopicCheck(
                    new TopicPlan(new Topics(settings.topicPrefix()), settings.tiers().size(), partitions.orElse(1), replicas), admin);
            return new TopicState(partitions.isPresent() ? check.grow() : List.of(), repair ? check.repair() : List.of(),
                    check.differences(),
                    check.topicsMakeThemselves());
        });
    }

    public static AccessPlan.Applied acls(PipelineSettings settings) {
        return acls(settings, List.of());
    }

    /** @param others topics of other systems */
    public static AccessPlan.Applied acls(PipelineSettings settings, List<String> others) {
        return withKafka(settings, accessPlan(settings, others)::apply);
    }

    /** Lets an application read the outcomes. */
    static void outcomesConsumer(PipelineSettings settings, String application) {
        withKafka(settings, admin -> {
            try {
                return admin.createAcls(accessPlan(settings, List.of()).readsOutcomes(application)).all().get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new KafkaException("interrupted while creating ACLs", e);
            } catch (ExecutionException e) {
                throw new KafkaException("ACLs for %s could not be created: %s".formatted(application, e.getCause().getMessage()),
                        e.getCause());
            }
        });
    }

    static List<AclBinding> plannedAcls(PipelineSettings settings, List<String> others) {
        return accessPlan(settings, others).all();
    }

    private static AccessPlan accessPlan(PipelineSettings settings, List<String> others) {
        return new AccessPlan(new Topics(settings.topicPrefix()), settings.tiers().size(), others);
    }

    private static <T> T withKafka(PipelineSettings settings, Function<Admin, T> work) {
        Map<String, Object> client = KafkaConnection.of(settings.kafka(), settings.kafkaProperties()).clientProperties();
        client.put("request.timeout.ms", 10_000);
        client.put("default.api.timeout.ms", 20_000);
        try (Admin admin = Admin.create(client)) {
            return work.apply(admin);
        } catch (KafkaException e) {
            throw new KafkaException("Kafka at %s: %s; check CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS and try again".formatted(
                    settings.kafka(), e.getMessage()), e);
        }
    }
}
