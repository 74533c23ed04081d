// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import io.chargeonce.database.Database;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Where the dead letters are: the database that holds their state, and the topics that changes are staged for.
 *
 * @param vault opens and seals what poison holds
 * @param tiers how many retry tiers the settings name here
 * @param kafka asked only before another system's record goes back to its topic
 */
public record DeadLetterQueue(Database database, Topics topics, Vault vault, int tiers, Supplier<KafkaConnection> kafka) {

    /** The same over other connections. */
    public DeadLetterQueue over(Database other) {
        return new DeadLetterQueue(other, topics, vault, tiers, kafka);
    }

    /** The same beside this Kafka. */
    public DeadLetterQueue beside(Supplier<KafkaConnection> its) {
        return new DeadLetterQueue(database, topics, vault, tiers, its);
    }

    /** For what sends nothing back to another system's topic. */
    public DeadLetterQueue(Database database, Topics topics, Vault vault, int tiers) {
        this(database, topics, vault, tiers, () -> {
            throw new IllegalStateException("Bug! This queue was opened without Kafka, and a record is to go back to its topic");
        });
    }

    /** A person's change waits for another person's and for a service's, where a service would leave a locked row for later. */
    public static final Duration LOCK_PATIENCE = Duration.ofSeconds(20);

    /** Commits a person's change, or nothing of it. */
    public <T> T change(Database.Work<T> work) {
        return database.inTransaction(connection -> {
            Database.waitForLocks(connection, LOCK_PATIENCE);
            return work.with(connection);
        });
    }

    /** Where no person names a tier. */
    public DeadLetterQueue(Database database, Topics topics, Vault vault) {
        this(database, topics, vault, Topics.MOST_TIERS);
    }

    /** Without the key that opens poison, for what needs to read none. */
    public DeadLetterQueue(Database database, Topics topics) {
        this(database, topics, Vault.WITHOUT_KEY);
    }
}
