// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.load.chaos.outsiders.MerchantProducer;
import io.chargeonce.load.proxy.Conditions;
import io.chargeonce.load.proxy.TcpProxy;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Faults of a running broker, and of the connections to it. Ends with the next healing. For one thread. */
final class KafkaFaults {

    private static final Topics TOPICS = new Topics("payments");
    /** Less than any record of ours has. */
    private static final String TINY = "64";
    private static final Duration LONGEST_ABSENCE = Duration.ofSeconds(2);
    /** Ingest looks for new topics every five seconds. */
    private static final Duration TO_ACCEPT = Duration.ofSeconds(15);

    private interface Work {
        void with(Admin admin) throws InterruptedException, ExecutionException;
    }

    private final CampaignStage stage;
    private final RandomGenerator random;
    private final MerchantProducer merchant;
    /** Of the next topic that is lost: each work topic has its turn. */
    private int tier;

    /** @param merchant has payments by its own topic */
    KafkaFaults(CampaignStage stage, RandomGenerator random, MerchantProducer merchant) {
        this.stage = stage;
        this.random = random;
        this.merchant = merchant;
        this.tier = random.nextInt(CampaignStage.TIERS.size() + 1);
    }

    /** Half the time for all services, else for some, so that these and the broker are in different parts. Returns the fault's name. */
    String hurtLink() {
        List<TcpProxy> ways = switch (random.nextInt(4)) {
            case 0 -> List.of(stage.toKafka);
            case 1 -> List.of(stage.toKafkaForOthers);
            default -> List.of(stage.toKafka, stage.toKafkaForOthers);
        };
        String who = ways.size() > 1 ? "" : " for some";
        return switch (random.nextInt(7)) {
            case 0 -> set(ways, Conditions.unreachable(), "down") + who;
            case 1 -> set(ways, Conditions.fair().latency(Duration.ofMillis(50 + random.nextInt(400))), "slow") + who;
            case 2 -> set(ways, Conditions.fair().slice(50).bytesPerSecond(30_000), "slow drip") + who;
            case 3 -> set(ways, Conditions.silent(), "stalled") + who;
            case 4 -> set(ways, Conditions.stalled(Conditions.Stalled.REQUESTS), "requests stalled") + who;
            case 5 -> set(ways, Conditions.stalled(Conditions.Stalled.ANSWERS), "answers stalled") + who;
            default -> {
                ways.forEach(TcpProxy::resetAll);
                yield "reset" + who;
            }
        };
    }

    private static String set(List<TcpProxy> ways, Conditions conditions, String name) {
        ways.forEach(way -> way.set(conditions));
        return name;
    }

    /** Returns the fault's name. */
    String refuse() {
        stage.healBroker();
        return random.nextBoolean() ? refuseCredentials() : refuseRecords();
    }

    String refuseCredentials() {
        admin(PipelineTopics::refuse);
        stage.toKafka.resetAll();
        stage.toKafkaForOthers.resetAll();
        stage.atHealingOfBroker(() -> admin(PipelineTopics::admit));
        return "credentials refused";
    }

    /** Also those of outcomes and dead letters, now and then. When the limit is mended, a person lets the refused rows go on. */
    String refuseRecords() {
        List<String> topics = List.of(TOPICS.requests(), TOPICS.retry(1), TOPICS.outcomes(), TOPICS.deadLetters());
        String topic = topics.get(random.nextInt(topics.size()));
        var limit = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var usual = new String[1];
        admin(admin -> {
            usual[0] = admin.describeConfigs(List.of(limit)).all().get().get(limit).get("max.message.bytes").value();
            setLargest(admin, limit, TINY);
        });
        stage.atHealingOfBroker(() -> admin(admin -> setLargest(admin, limit, usual[0])));
        stage.atHealingOfBroker(stage.database::offerRefused);
        return "records refused on " + topic;
    }

    private static void setLargest(Admin admin, ConfigResource topic, String bytes) throws InterruptedException, ExecutionException {
        Map<ConfigResource, Collection<AlterConfigOp>> change = Map.of(topic, List.of(
                new AlterConfigOp(new ConfigEntry("max.message.bytes", bytes), AlterConfigOp.OpType.SET)));
        admin.incrementalAlterConfigs(change).all().get();
    }

    /**
     * A merchant's topic is deleted as soon as all of it is accepted, and made again under the same name with other payments. If another
     * fault keeps ingest from reading, it is only written to. Returns the fault's name.
     */
    String remakeIntake() {
        stage.healBroker();
        var remade = new boolean[1];
        admin(admin -> {
            merchant.publish(admin);
            remade[0] = isAccepted(admin);
            if (remade[0]) {
                merchant.delete(admin);
                Pauses.of(Duration.ofMillis(random.nextLong(LONGEST_ABSENCE.toMillis())));
                merchant.publish(admin);
            }
        });
        return remade[0] ? "intake topic made again" : "intake topic written";
    }

    private boolean isAccepted(Admin admin) throws InterruptedException, ExecutionException {
        long giveUp = System.nanoTime() + TO_ACCEPT.toNanos();
        while (System.nanoTime() < giveUp) {
            if (stage.database.hasAccepted(merchant.published()) && merchant.isRead(admin)) {
                return true;
            }
            Pauses.of(Duration.ofMillis(100));
        }
        return false;
    }

    /** Its records are gone, and those who read it have positions in what it was. Returns the fault's name. */
    String loseTopic() {
        stage.healBroker();
        String topic = TOPICS.ofTier(tier);
        tier = (tier + 1) % (CampaignStage.TIERS.size() + 1);
        admin(admin -> delete(admin, topic));
        if (random.nextBoolean()) {
            stage.atHealingOfBroker(() -> admin(PipelineTopics::createMissing));
            return "missing " + topic;
        }
        Pauses.of(Duration.ofMillis(random.nextLong(LONGEST_ABSENCE.toMillis())));
        admin(PipelineTopics::createMissing);
        return "made again " + topic;
    }

    private static void delete(Admin admin, String topic) throws InterruptedException, ExecutionException {
        try {
            admin.deleteTopics(List.of(topic)).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                throw e;
            }
        }
    }

    private void admin(Work work) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", stage.kafka()))) {
            work.with(admin);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the broker could not be changed: " + e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
