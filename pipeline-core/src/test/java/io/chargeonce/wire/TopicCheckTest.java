// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicCheck.Difference;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A topic that differs from the plan is reported with its danger, and repaired where a setting can do it. */
class TopicCheckTest {

    private static Admin admin;

    @BeforeAll
    static void open() {
        admin = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()));
    }

    private final Topics topics = new Topics("check-" + UUID.randomUUID());

    @AfterAll
    static void close() {
        admin.close();
    }

    @Test
    void topics_that_migrate_made_are_as_planned_also_with_more_than_was_asked_for() throws Exception {
        plan(3).create(admin);
        assertThat(check(3).differences()).isEmpty();
        assertThat(check(2).differences()).as("more partitions").isEmpty();
        set(topics.requests(), "retention.ms", "-1");
        set(topics.retry(1), "max.message.bytes", "9000000");
        Awaitility.await().untilAsserted(() -> assertThat(value(topics.retry(1), "max.message.bytes")).isEqualTo("9000000"));
        assertThat(check(3).differences()).as("longer and larger").isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "payments.requests,    retention.ms,                   86400000,   records that still wait are deleted",
        "payments.requests,    retention.bytes,                1000000,    records that still wait are deleted",
        "payments.retry-1,     cleanup.policy,                 compact,    compaction deletes older records",
        "payments.dlq,         cleanup.policy,                 delete,     deletion deletes dead letters",
        "payments.retry-2,     message.timestamp.type,         CreateTime, a clock that is off delays retries",
        "payments.retry-3,     max.message.bytes,              1048588,    does not fit",
        "payments.outcomes,    unclean.leader.election.enable, true,       may become the leader",
        "payments.audit-seals, retention.ms,                   604800000,  records that still wait are deleted"})
    void a_setting_that_can_lose_or_refuse_records_is_reported_and_repaired(String topic, String setting, String value, String danger)
            throws Exception {
        plan(1).create(admin);
        String name = topics.prefix() + topic.substring(topic.indexOf('.'));
        String before = value(name, setting);
        set(name, setting, value);
        Awaitility.await().untilAsserted(() -> assertThat(check(1).differences())
                .singleElement().satisfies(difference -> {
                    assertThat(difference.topic()).isEqualTo(name);
                    assertThat(difference)
                            .hasToString("%s: %s is %s, planned is %s: %s".formatted(name, setting, value, before, difference.danger()));
                    assertThat(difference.danger()).contains(danger);
                }));
        assertThat(check(1).repair()).hasSize(1);
        Awaitility.await().untilAsserted(() -> assertThat(check(1).differences()).isEmpty());
        assertThat(check(1).repair()).as("nothing is left to repair").isEmpty();
    }

    @Test
    void a_topic_that_a_broker_made_by_itself_differs_in_all_that_matters() throws Exception {
        admin.createTopics(List.of(new NewTopic(topics.deadLetters(), Optional.of(1), Optional.empty()))).all().get();
        Awaitility.await().untilAsserted(() -> assertThat(check(1).differences()).extracting(Difference::setting)
                .containsExactlyInAnyOrder("cleanup.policy", "max.message.bytes", "message.timestamp.type"));
    }

    @Test
    void topics_grow_but_never_the_dead_letters_and_the_seals() throws Exception {
        plan(2).create(admin);
        assertThat(check(4).differences()).extracting(Difference::setting).containsOnly("partitions").hasSize(10);
        assertThat(check(4).grow()).containsExactlyInAnyOrder(topics.requests(), topics.retry(1), topics.retry(2), topics.retry(3),
                topics.outcomes(), topics.intakeRefused(), topics.overdue(), topics.waiting(), topics.receipts(), topics.disputes());
        Awaitility.await().untilAsserted(() -> assertThat(check(4).differences()).isEmpty());
        assertThat(admin.describeTopics(List.of(topics.deadLetters(), topics.auditSeals())).allTopicNames().get().values())
                .allSatisfy(topic -> assertThat(topic.partitions()).hasSize(2));
        assertThat(check(4).grow()).as("they have them now").isEmpty();
    }

    @Test
    void too_few_replicas_are_reported_and_left_to_a_reassignment() {
        plan(1).create(admin);
        var wanted = new TopicCheck(new TopicPlan(topics, 1, Optional.of((short) 3)), admin);
        assertThat(wanted.differences()).filteredOn(difference -> difference.setting().equals("replicas")).hasSize(12)
                .allSatisfy(difference -> assertThat(difference.repairable()).isFalse());
    }

    @Test
    void brokers_that_make_topics_by_themselves_are_found() {
        assertThat(check(1).topicsMakeThemselves()).as("the brokers of tests make none").contains(false);
    }

    private TopicPlan plan(int partitions) {
        return new TopicPlan(topics, partitions, Optional.of((short) 1));
    }

    private TopicCheck check(int partitions) {
        return new TopicCheck(plan(partitions), admin);
    }

    private static void set(String topic, String setting, String value) throws Exception {
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET)))).all().get();
    }

    private static String value(String topic, String setting) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return admin.describeConfigs(List.of(resource)).all().get().get(resource).get(setting).value();
    }
}
