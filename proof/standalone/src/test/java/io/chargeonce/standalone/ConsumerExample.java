// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.examples.RevenueConsumer;
import io.chargeonce.runtime.PipelineSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A consumer under {@code examples/}, with a database of its own. */
abstract class ConsumerExample implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    final PipelineSettings settings;
    private final String name = getClass().getSimpleName().toLowerCase(Locale.ROOT) + "-" + UUID.randomUUID();

    ConsumerExample(PipelineSettings settings) {
        this.settings = settings;
    }

    String group(String which) {
        return name + "-" + which;
    }

    /** Starts one process, or thread, of this group. */
    abstract void start(String which) throws Exception;

    /** Ends at once what runs. */
    abstract void kill() throws Exception;

    /** By merchant and currency. */
    abstract Map<String, Long> revenue() throws Exception;

    abstract long events() throws Exception;

    void awaitAnEvent() {
        Awaitility.await().atMost(PATIENCE).until(() -> events() > 0);
    }

    /** Ends what still runs. */
    @Override
    public void close() throws Exception {
        kill();
    }

    /** Whose book is in a Postgres database. */
    private abstract static class InPostgres extends ConsumerExample {

        final String shop = "shop_" + UUID.randomUUID().toString().replace("-", "");

        InPostgres(PipelineSettings settings) throws SQLException {
            super(settings);
            try (var connection = DriverManager.getConnection(settings.databaseUrl()); var statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE " + shop);
            }
        }

        /** The same server's. */
        String url() {
            return settings.databaseUrl().replaceFirst("(jdbc:postgresql://[^/]*/)[^?]*", "$1" + shop);
        }

        private Map<String, Long> read(String sql) throws SQLException {
            try (var connection = DriverManager.getConnection(url())) {
                return PublishedRecords.Sums.of(connection, sql);
            }
        }

        @Override
        Map<String, Long> revenue() throws SQLException {
            return read("SELECT merchant || ' ' || currency, minor_units FROM revenue");
        }

        @Override
        long events() throws SQLException {
            return read("SELECT relname, 0 FROM pg_class WHERE relname = 'revenue'").isEmpty() ? 0
                    : read("SELECT 'events', count(*) FROM seen_event").get("events");
        }
    }

    static final class Java extends InPostgres {

        private record Running(KafkaConsumer<String, byte[]> consumer, CompletableFuture<Void> end) {}

        private final List<Running> running = new ArrayList<>();

        Java(PipelineSettings settings) throws SQLException {
            super(settings);
        }

        @Override
        void start(String which) {
            var consumer = RevenueConsumer.consumer(settings.kafka(), group(which));
            var end = new CompletableFuture<Void>();
            Thread.ofPlatform().name("example-" + which).start(() -> {
                try (consumer) {
                    RevenueConsumer.run(consumer, "payments.outcomes", url());
                    end.complete(null);
                } catch (SQLException | RuntimeException e) {
                    end.completeExceptionally(e);
                }
            });
            running.add(new Running(consumer, end));
        }

        @Override
        void kill() {
            running.forEach(one -> one.consumer.wakeup());
            running.forEach(one -> one.end.join());
            running.clear();
        }
    }

    /** What runs in processes, which are killed by SIGKILL. */
    private static final class Processes {

        private final List<Process> running = new ArrayList<>();
        private final Path log;

        Processes(Path log) {
            this.log = log;
        }

        void start(Path folder, Map<String, String> environment, String... command) throws IOException {
            var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            running.add(builder.start());
        }

        void kill() throws IOException, InterruptedException {
            for (Process process : running) {
                assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
                process.destroyForcibly().waitFor();
            }
            running.clear();
        }
    }

    static final class TypeScript extends InPostgres {

        private static final Path FOLDER = Repository.root().resolve("examples/typescript");
        private final Processes processes = new Processes(Files.createTempFile("example", ".log"));

        TypeScript(PipelineSettings settings) throws SQLException, IOException {
            super(settings);
        }

        static boolean canRun() {
            return Files.exists(FOLDER.resolve("dist/main.js")) && Files.exists(FOLDER.resolve("node_modules/kafkajs"))
                    && answers("node", "--version");
        }

        @Override
        void start(String which) throws IOException {
            String url = url().replaceFirst("jdbc:postgresql://", "postgres://postgres@").replaceFirst("\\?.*", "");
            processes.start(FOLDER, Map.of("KAFKA", settings.kafka(), "DATABASE_URL", url, "GROUP", group(which)), "node", "dist/main.js");
        }

        @Override
        void kill() throws IOException, InterruptedException {
            processes.kill();
        }
    }

    static final class Python extends ConsumerExample {

        private static final Path FOLDER = Repository.root().resolve("examples/python");
        private final String python;
        private final Path book;
        private final Processes processes;

        Python(PipelineSettings settings, String python, Path book) {
            super(settings);
            this.python = python;
            this.book = book;
            this.processes = new Processes(Path.of(book + ".log"));
        }

        /** A python3 that has the module. */
        static Optional<String> with(String module) {
            return Stream.of("python3", "/usr/bin/python3").filter(python -> answers(python, "-c", "import " + module)).findFirst();
        }

        @Override
        void start(String which) throws IOException {
            processes.start(FOLDER, Map.of("KAFKA", settings.kafka(), "GROUP", group(which)), python, "-B", "revenue.py", book.toString());
        }

        @Override
        void kill() throws IOException, InterruptedException {
            processes.kill();
        }

        private JsonNode show() throws IOException, InterruptedException {
            var process = new ProcessBuilder(python, "-B", "revenue.py", book.toString(), "--show").directory(FOLDER.toFile()).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            return new JsonMapper().readTree(said);
        }

        @Override
        Map<String, Long> revenue() throws IOException, InterruptedException {
            var revenue = new TreeMap<String, Long>();
            show().path("revenue").forEachEntry((name, units) -> revenue.put(name, units.asLong()));
            return revenue;
        }

        @Override
        long events() throws IOException, InterruptedException {
            return show().path("events").asLong();
        }
    }

    private static boolean answers(String... command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor() == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
