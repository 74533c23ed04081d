// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import io.chargeonce.client.NewPayment;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.client.Sent;
import io.chargeonce.wire.Topics;
import io.chargeonce.sandbox.Directories;
import io.chargeonce.standalone.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;

/**
 * {@code up} with its console in a process of its own, with payments in every state: some charged, some declined, some dead because
 * their card's only PSP fails. What it prints tells where the console is and who may sign in.
 */
final class ConsoleWorld implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern ADDRESS = Pattern.compile("console +(https?://\\S+?)/?\\s");
    private static final Pattern TOKEN = Pattern.compile("\\b((reader|operator|approver):[^\\s,]+)");
    private static final List<String> CURRENCIES = List.of("EUR", "USD", "GBP", "JPY");

    private final Path directory;
    private final Process process;
    private final Map<String, Integer> ports;
    private final Map<String, String> tokens = new HashMap<>();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final PaymentClient acme;
    private final AtomicInteger well = new AtomicInteger();
    final URI console;

    private ConsoleWorld(Path directory, Process process, Map<String, Integer> ports, String printed) {
        this.directory = directory;
        this.process = process;
        this.ports = ports;
        this.console = URI.create(ADDRESS.matcher(printed).results().map(found -> found.group(1)).findFirst().orElseThrow());
        TOKEN.matcher(printed).results().forEach(found -> tokens.put(found.group(2), found.group(1)));
        this.acme = new PaymentClient(URI.create("http://127.0.0.1:" + ports.get("ingest")), "test_acme", Retries.USUAL);
    }

    static ConsoleWorld start() throws IOException {
        Path directory = Directories.temporary("console");
        Map<String, Integer> ports = FreePorts.ofUp();
        Path said = Files.createFile(directory.resolve("up.out"));
        var command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-Xmx1g", "-XX:+UseSerialGC",
                "-cp", System.getProperty("java.class.path"), "-Dchargeonce.log=" + directory.resolve("up.log"),
                "io.chargeonce.app.Main", "up", "--tiers", "500ms,1s,2s"));
        ports.forEach((name, port) -> command.addAll(List.of("--" + name + "-port", "" + port)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            String printed = Files.readString(said);
            if (!process.isAlive()) {
                throw new IllegalStateException(printed);
            }
            return printed.contains("Ctrl-C stops everything");
        });
        return new ConsoleWorld(directory, process, ports, Files.readString(said));
    }

    String token(String role) {
        return tokens.get(role);
    }

    /** Payments that are charged and declined, so that nothing on the pages is empty. */
    void trade(int payments) throws InterruptedException {
        for (int i = 0; i < payments; i++) {
            send("trade-" + i, 1_000 + 37L * i, CURRENCIES.get(i % CURRENCIES.size()),
                    i % 9 == 8 ? "pm_card_visa_chargeDeclined" : "pm_card_visa");
        }
    }

    /**
     * Payments that die, because the only PSP that takes their card fails. Returns when they are dead. Others succeed there meanwhile, and
     * these are fewer than eight: else it would be an outage of the PSP, in which payments wait and do not die.
     */
    void die(String... references) throws Exception {
        fail(references, "dead");
    }

    /** Payments that fail until they wait in the last tier. It must be paused before. */
    void waitInLastTier(String... references) throws Exception {
        fail(references, "waiting in the last tier");
        mend();
    }

    private void fail(String[] references, String until) throws Exception {
        for (int i = 0; i < references.length; i++) {
            rule("POST",
                    "{\"fault\": \"500_before\", \"operation\": \"confirm\", \"metadata\": {\"reference\": \"%s\"}, \"times\": \"always\"}"
                            .formatted(references[i]));
            send(references[i], 2_500 + 111L * i, CURRENCIES.get(i % CURRENCIES.size()), "pm_card_amex");
            succeedBeside();
        }
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> {
            succeedBeside();
            return ask(IN_STATE, references, until).equals("" + references.length);
        });
    }

    private void succeedBeside() throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            send("well-beside-" + well.incrementAndGet(), 1_299, "EUR", "pm_card_amex");
        }
    }

    void awaitSuccess(String reference) {
        Awaitility.await().atMost(PATIENCE).until(() -> ask(IN_STATE, new String[] {reference}, "succeeded").equals("1"));
    }

    /** The PSP works again for all of them. */
    void mend() throws Exception {
        rule("DELETE", "");
    }

    /** More than so many dead letters are more than one person may move alone. */
    void fourEyesAbove(int count) throws Exception {
        ask(FOUR_EYES, count);
    }

    void noFourEyes() throws Exception {
        ask(NO_FOUR_EYES);
    }

    /** Kafka loses what waits in the tier, as after a mistake at its retention. */
    void loseRecords(int tier) throws Exception {
        String topic = new Topics("payments").retry(tier);
        try (var admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + ports.get("kafka")))) {
            var ends = new HashMap<TopicPartition, RecordsToDelete>();
            admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions()
                    .forEach(one -> ends.put(new TopicPartition(topic, one.partition()), RecordsToDelete.beforeOffset(-1)));
            admin.deleteRecords(ends).all().get();
        }
    }

    /** Records that the pipeline cannot read. */
    void garble(String... values) throws Exception {
        try (var producer = new KafkaProducer<>(Map.<String, Object>of("bootstrap.servers", "127.0.0.1:" + ports.get("kafka")),
                new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(new Topics("payments").requests(), "key", value)).get();
            }
        }
    }

    String paymentId(String reference) throws Exception {
        return ask(ID, reference);
    }

    String pspReference(String reference) throws Exception {
        Awaitility.await().atMost(PATIENCE).until(() -> ask(PSP_REFERENCE, reference) != null);
        return ask(PSP_REFERENCE, reference);
    }

    /** Payments whose references differ in their last number only are one customer's. */
    static String customer(String reference) {
        return reference.replaceAll("-\\d+$", "") + "@example.org";
    }

    private void send(String reference, long amount, String currency, String method) throws InterruptedException {
        Sent sent = acme.send(NewPayment.of("key-of-" + reference, amount, currency, method).withReference(reference)
                .withCustomer(customer(reference)));
        if (!(sent instanceof Sent.Accepted)) {
            throw new IllegalStateException(reference + " was not accepted: " + sent);
        }
    }

    private void rule(String method, String body) throws Exception {
        URI rules = URI.create("http://127.0.0.1:" + ports.get("stripe") + "/_sandbox/rules");
        var request = HttpRequest.newBuilder(rules).method(method, HttpRequest.BodyPublishers.ofString(body)).build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2) {
            throw new IllegalStateException(answer.body());
        }
    }

    private static final String IN_STATE = """
            SELECT count(*) FROM chargeonce.operation_now
             WHERE reference = ANY (?)
               AND CASE WHEN tier = 3 AND state IN ('scheduled', 'parked') THEN 'waiting in the last tier' ELSE state END = ?
            """;
    private static final String ID = "SELECT operation_id FROM chargeonce.operation WHERE reference = ?";
    private static final String PSP_REFERENCE = """
            SELECT max(psp_reference) FROM chargeonce.operation_now WHERE reference = ?
            """;
    private static final String FOUR_EYES = "INSERT INTO chargeonce.four_eyes VALUES ('*', ?) RETURNING 1";
    private static final String NO_FOUR_EYES = "WITH gone AS (DELETE FROM chargeonce.four_eyes) SELECT 1";

    private String ask(String sql, Object... parameters) throws Exception {
        try (var connection = java.sql.DriverManager.getConnection(jdbcUrl(), "postgres", "");
             var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (var row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    private String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + ports.get("postgres") + "/chargeonce";
    }

    @Override
    public void close() {
        acme.close();
        process.destroy();
        Awaitility.await().atMost(PATIENCE).until(() -> !process.isAlive());
        Directories.remove(directory);
    }
}
