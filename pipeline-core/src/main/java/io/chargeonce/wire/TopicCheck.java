// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;

/** Compares the topics that exist with the plan. A topic that a broker made by itself, or that a person changed, can lose records. */
public final class TopicCheck {

    private final TopicPlan plan;
    private final Admin admin;

    public TopicCheck(TopicPlan plan, Admin admin) {
        this.plan = plan;
        this.admin = admin;
    }

    /**
     * One thing about a topic that is not as planned.
     *
     * @param setting the topic's setting, or {@code partitions} or {@code replicas}
     * @param danger  what can happen because of it
     */
    public record Difference(String topic, String setting, String planned, String actual, String danger) {

        /** Whether {@link #repair} can set it. Replicas need a reassignment, which moves data between brokers. */
        public boolean repairable() {
            return !setting.equals("replicas") && !setting.equals("partitions");
        }

        @Override
        public String toString() {
            return "%s: %s is %s, planned is %s: %s".formatted(topic, setting, actual, planned, danger);
        }
    }

    /**
     * What is not as planned, by topic. Topics that do not exist are left out. More than the plan asks for is no difference: longer
     * retention, larger records, more partitions, more replicas.
     *
     * @throws KafkaException if the brokers do not answer, or do not let this principal describe topics
     */
    public List<Difference> differences() {
        return kafka("compared with the plan", () -> {
            Map<String, NewTopic> planned =
                    plan.all().stream().collect(Collectors.toMap(NewTopic::name, topic -> topic, (a, b) -> a, TreeMap::new));
            Set<String> existing = admin.listTopics().names().get();
            planned.keySet().retainAll(existing);
            Map<String, TopicDescription> descriptions = admin.describeTopics(planned.keySet()).allTopicNames().get();
            Map<ConfigResource, Config> settings =
                    admin.describeConfigs(planned.keySet().stream().map(TopicCheck::resource).toList()).all().get();
            var differences = new ArrayList<Difference>();
            planned.forEach((name, topic) -> {
                compareShape(topic, descriptions.get(name), differences);
                compareSettings(topic, settings.get(resource(name)), differences);
            });
            return differences;
        });
    }

    /** Sets what can be set, and returns it. */
    public List<Difference> repair() {
        List<Difference> wrong = differences().stream().filter(Difference::repairable).toList();
        return kafka("repaired", () -> {
            var changes = new HashMap<ConfigResource, List<AlterConfigOp>>();
            wrong.forEach(difference -> changes.computeIfAbsent(resource(difference.topic()), topic -> new ArrayList<>())
                    .add(new AlterConfigOp(new ConfigEntry(difference.setting(), difference.planned()), AlterConfigOp.OpType.SET)));
            admin.incrementalAlterConfigs(Map.copyOf(changes)).all().get();
            return wrong;
        });
    }

    /**
     * Gives existing topics the planned number of partitions, and returns the names of those that had fewer. Records of a key then continue
     * in another partition, which is safe where steps in Postgres keep the order. It is not safe on a topic of {@link TopicPlan#neverGrow}.
     */
    public List<String> grow() {
        return kafka("given more partitions", () -> {
            Set<String> growing = plan.all().stream().map(NewTopic::name).collect(Collectors.toCollection(TreeSet::new));
            growing.removeAll(plan.neverGrow());
            growing.retainAll(admin.listTopics().names().get());
            Map<String, NewPartitions> more = new TreeMap<>();
            admin.describeTopics(growing).allTopicNames().get().forEach((name, topic) -> {
                if (topic.partitions().size() < plan.partitions()) {
                    more.put(name, NewPartitions.increaseTo(plan.partitions()));
                }
            });
            admin.createPartitions(more).all().get();
            return List.copyOf(more.keySet());
        });
    }

    /** Whether the brokers make a topic by themselves when a client names one. Empty if this principal may not ask. */
    public Optional<Boolean> topicsMakeThemselves() {
        return kafka("asked for their settings", () -> {
            var broker = new ConfigResource(ConfigResource.Type.BROKER, admin.describeCluster().nodes().get().iterator().next().idString());
            try {
                ConfigEntry makes = admin.describeConfigs(List.of(broker)).all().get().get(broker).get("auto.create.topics.enable");
                return Optional.ofNullable(makes).map(entry -> Boolean.valueOf(entry.value()));
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AuthorizationException) {
                    return Optional.empty();
                }
                throw e;
            }
        });
    }

    private void compareShape(NewTopic planned, TopicDescription actual, List<Difference> differences) {
        String name = planned.name();
        int partitions = actual.partitions().size();
        if (partitions < plan.partitions() && !plan.neverGrow().contains(name)) {
            differences
                    .add(new Difference(name, "partitions", "" + plan.partitions(), "" + partitions, "at most so many consumers share it"));
        }
        int replicas = actual.partitions().stream().mapToInt(partition -> partition.replicas().size()).min().orElse(0);
        plan.replicas().filter(wanted -> replicas < wanted).ifPresent(wanted -> differences.add(
                new Difference(name, "replicas", "" + wanted, "" + replicas, "fewer brokers may fail before records are lost")));
    }

    private void compareSettings(NewTopic planned, Config actual, List<Difference> differences) {
        planned.configs().forEach((setting, value) -> {
            String now = Optional.ofNullable(actual.get(setting)).map(ConfigEntry::value).orElse("");
            if (!enough(setting, now).test(value)) {
                differences.add(new Difference(planned.name(), setting, value, now, danger(setting)));
            }
        });
        // The plan leaves these at Kafka's defaults, and a broker's or a person's own value can delete what still waits.
        mustBe(planned.name(), "cleanup.policy", planned.configs().getOrDefault("cleanup.policy", "delete"), actual, differences);
        mustBe(planned.name(), "retention.bytes", "-1", actual, differences);
        mustBe(planned.name(), "unclean.leader.election.enable", "false", actual, differences);
    }

    private static void mustBe(String topic, String setting, String wanted, Config actual, List<Difference> differences) {
        String now = Optional.ofNullable(actual.get(setting)).map(ConfigEntry::value).orElse(wanted);
        boolean known =
                differences.stream().anyMatch(difference -> difference.topic().equals(topic) && difference.setting().equals(setting));
        if (!known && !now.equals(wanted)) {
            differences.add(new Difference(topic, setting, wanted, now, danger(setting)));
        }
    }

    /** Whether what a topic has is at least what was planned. */
    private static Predicate<String> enough(String setting, String now) {
        return switch (setting) {
            case "retention.ms" -> planned -> now.equals("-1") || !planned.equals("-1") && Long.parseLong(now) >= Long.parseLong(planned);
            case "max.message.bytes", "min.insync.replicas" -> planned -> Long.parseLong(now) >= Long.parseLong(planned);
            default -> now::equals;
        };
    }

    private static String danger(String setting) {
        return switch (setting) {
            case "retention.ms", "retention.bytes" -> "records that still wait are deleted";
            case "cleanup.policy" -> "compaction deletes older records of a key, deletion deletes dead letters";
            case "message.timestamp.type" -> "a clock that is off delays retries, or Kafka refuses the record";
            case "max.message.bytes" -> "a record that was accepted does not fit";
            case "min.insync.replicas" -> "an acknowledged record may be on one broker only";
            case "unclean.leader.election.enable" -> "a broker that lacks acknowledged records may become the leader";
            default -> "it is not what the services expect";
        };
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    private interface Asking<T> {

        T ask() throws InterruptedException, ExecutionException;
    }

    private static <T> T kafka(String what, Asking<T> asking) {
        try {
            return asking.ask();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while topics were " + what, e);
        } catch (ExecutionException e) {
            throw new KafkaException("topics could not be " + what + ": " + e.getCause().getMessage(), e.getCause());
        }
    }
}
