// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import io.chargeonce.database.Migrations;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;

/** One broker and one Postgres (fsync on) for a whole bench; each run gets a database and topics of its own. Any thread. */
public final class Ground implements AutoCloseable {

    public static final int PARTITIONS = 12;
    private static final AtomicInteger RUNS = new AtomicInteger();

    private final String bootstrapServers;
    private final Supplier<String> newDatabase;
    private final UnaryOperator<String> urlOfDatabase;
    private final Admin admin;

    public Ground() {
        this(TestStack.kafka().bootstrapServers(), TestStack::newDatabase, TestStack::jdbcUrl);
    }

    /** Over servers that the bench may treat badly. */
    public Ground(String bootstrapServers, Supplier<String> newDatabase, UnaryOperator<String> urlOfDatabase) {
        this.bootstrapServers = bootstrapServers;
        this.newDatabase = newDatabase;
        this.urlOfDatabase = urlOfDatabase;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** The place of one run: no other run's rows or records are in it. Closing it clears it away. */
    public final class Plot implements AutoCloseable {
        private final String url = newDatabase.get();
        private final Topics topics = new Topics("bench" + RUNS.incrementAndGet());

        private Plot() {
            Migrations.apply(url, "postgres", "");
            new TopicPlan(topics, PARTITIONS, Optional.of((short) 1)).create(admin);
        }

        public String jdbcUrl() {
            return url;
        }

        public String kafka() {
            return bootstrapServers;
        }

        public Topics topics() {
            return topics;
        }

        public PipelineSettings pipeline(Duration... tiers) {
            return new PipelineSettings(url, "postgres", "", kafka(), Optional.empty(), topics.prefix(), List.of(tiers), Optional.empty());
        }

        public Connection connect() throws SQLException {
            Connection connection = DriverManager.getConnection(url);
            connection.setSchema("chargeonce");
            return connection;
        }

        private static final String MERCHANT = """
                INSERT INTO merchant (merchant_id) VALUES ('acme');
                INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('test_bench'), 'acme')
                """;

        /** {@code acme}, with the token {@code test_bench}. */
        public void addMerchant() throws SQLException {
            execute(MERCHANT);
        }

        /** One after another, in one session. */
        public void execute(String... statements) throws SQLException {
            try (var connection = connect(); var statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
        }

        /** So that no run pays for what was loaded before it, and every planner knows the tables. */
        public void settle() throws SQLException {
            execute("VACUUM ANALYZE", "CHECKPOINT");
            System.gc();
        }

        @Override
        public void close() throws SQLException, InterruptedException {
            try {
                var mine = admin.listTopics().names().get().stream().filter(name -> name.startsWith(topics.prefix() + ".")).toList();
                admin.deleteTopics(mine).all().get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the topics of a run could not be deleted", e.getCause());
            }
            String name = url.replaceFirst(".*/", "").replaceFirst("\\?.*", "");
            try (var connection = DriverManager.getConnection(urlOfDatabase.apply("postgres"));
                 var statement = connection.createStatement()) {
                statement.execute("DROP DATABASE \"" + name + "\" WITH (FORCE)");
            }
        }
    }

    public Plot newPlot() {
        return new Plot();
    }

    public Admin admin() {
        return admin;
    }

    public String maintenanceUrl() {
        return urlOfDatabase.apply("postgres");
    }

    @Override
    public void close() {
        admin.close();
    }
}
