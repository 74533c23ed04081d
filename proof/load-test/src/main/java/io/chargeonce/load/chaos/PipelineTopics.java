// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

/** The pipeline's topics and consumer groups, as campaigns need them. */
record PipelineTopics(String kafka) {

    private static final int PARTITIONS = 6;
    /** Whom the services are, to the broker. */
    static final String USER = "chargeonce";
    static final String PASSWORD = "a-password-of-chaos";
    private static final int ITERATIONS = 4096;
    private static final Topics TOPICS = new Topics("payments");
    private static final List<String> GROUPS = IntStream.rangeClosed(0, CampaignStage.TIERS.size()).mapToObj(TOPICS::groupOfTier).toList();

    void create() {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            createMissing(admin);
            admit(admin);
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("the topics could not be set up: " + e.getMessage(), e);
        }
    }

    static void createMissing(Admin admin) {
        new TopicPlan(TOPICS, CampaignStage.TIERS.size(), PARTITIONS, Optional.of((short) 1)).create(admin);
    }

    /** The services' credentials are right from now on. */
    static void admit(Admin admin) throws InterruptedException, ExecutionException {
        admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(USER,
                new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, ITERATIONS), PASSWORD))).all().get();
    }

    /** They are refused from now on; connections that are open stay. */
    static void refuse(Admin admin) throws InterruptedException, ExecutionException {
        admin.alterUserScramCredentials(List.of(new UserScramCredentialDeletion(USER, ScramMechanism.SCRAM_SHA_256))).all().get();
    }

    /** Returns when each of them has a consumer: faults before that prove nothing. */
    void awaitMembers(Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            while (!GROUPS.stream().allMatch(group -> hasMembers(admin, group))) {
                if (System.nanoTime() > giveUp) {
                    throw new IllegalStateException("the consumers did not join their groups within " + patience);
                }
                Pauses.of(Duration.ofMillis(100));
            }
        }
    }

    void awaitNoMembers(String group, Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            while (hasMembers(admin, group) && System.nanoTime() < giveUp) {
                Pauses.of(Duration.ofMillis(100));
            }
        }
    }

    private static boolean hasMembers(Admin admin, String group) {
        try {
            return !admin.describeConsumerGroups(List.of(group)).describedGroups().get(group).get().members().isEmpty();
        } catch (ExecutionException noSuchGroupYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
