// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

class TestStackTest {
    @Test
    void the_broker_takes_topics_and_is_the_same_for_all() throws Exception {
        assertThat(TestStack.kafka()).isEqualTo(TestStack.kafka());
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("the-stack-works", 2, (short) 1))).all().get();
            // The broker answers before its own list has the topic.
            await().until(() -> admin.listTopics().names().get().contains("the-stack-works"));
        }
    }

    @Test
    void every_new_database_is_another_and_empty() throws Exception {
        String first = TestStack.newDatabase();
        String second = TestStack.newDatabase();
        assertThat(first).isNotEqualTo(second);
        try (var connection = DriverManager.getConnection(first); var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (n int)");
        }
        try (var connection = DriverManager.getConnection(second); var statement = connection.createStatement();
             var rows = statement.executeQuery("SELECT to_regclass('public.t')")) {
            rows.next();
            assertThat(rows.getString(1)).isNull();
        }
    }
}
