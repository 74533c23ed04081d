// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.intake;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.kafka.KafkaConnection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/**
 * The topics that take payment requests: one for each merchant that has one. A topic without a merchant is not read. Kafka's ACLs decide
 * who may write to a merchant's topic. Any thread.
 *
 * @param prefix what the names begin with, before the merchant's id
 */
record IntakeTopics(Database database, KafkaConnection kafka, String prefix) {

    /** The last part of the topic's name: no merchant's id has a dot. */
    static String merchantOf(String topic) {
        return topic.substring(topic.lastIndexOf('.') + 1);
    }

    private static final String MERCHANTS = "SELECT merchant_id FROM merchant";

    Set<String> existing() {
        Set<String> wanted = Set.copyOf(database.withConnection(
                connection -> Sql.all(connection, MERCHANTS, row -> prefix + row.getString(1))));
        try (var admin = Admin.create(kafka.clientProperties())) {
            var existing = new TreeSet<>(admin.listTopics().names().get());
            existing.retainAll(wanted);
            return existing;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while listing topics", e);
        } catch (ExecutionException e) {
            throw new KafkaException("topics could not be listed: " + e.getCause().getMessage(), e.getCause());
        }
    }
}
