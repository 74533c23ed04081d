// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.OurReceipts;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.evidence.RefundCall;
import io.chargeonce.checker.evidence.Sources;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A pipeline's evidence made by hand: real rows and topics, and two PSPs' ledgers; nothing of the pipeline itself. */
final class World implements AutoCloseable {

    static final Instant START = Instant.parse("2026-03-02T10:00:00Z");
    static final Duration TIER = Duration.ofSeconds(5);

    final String prefix = "world-" + UUID.randomUUID();
    final List<ClientCall> calls = new ArrayList<>();
    final List<RefundCall> refundCalls = new ArrayList<>();
    final List<String> planted = new ArrayList<>();
    final List<Path> logs = new ArrayList<>();
    boolean inFlightAllowed;
    Instant tiersSince = Instant.EPOCH;
    int shares = 1;
    Optional<Recovery> recovery = Optional.empty();
    private final String url = TestStack.newDatabase();
    private final Connection connection = connect(url);
    private final List<List<String>> ledgers = List.of(new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
    private final List<HttpListener> services = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> disputes = new CopyOnWriteArrayList<>();
    private final List<HttpListener> psps = ledgers.stream().map(this::serve).toList();
    private final Map<String, Object> kafka = Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers());
    private final Admin admin = Admin.create(kafka);
    private final KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer());

    Optional<OurReceipts> ourReceipts = Optional.empty();
    Optional<ArrivalEvidence> arrivals = Optional.empty();

    World() {
        try {
            String schema = "CREATE SCHEMA chargeonce;";
            try (var files = Files.list(Path.of("../..", "pipeline-core/src/main/resources/io/chargeonce/database/migration"))) {
                for (Path file : files.filter(file -> !file.endsWith("afterEachMigrate.sql"))
                        .sorted(Comparator.comparingInt(World::version).thenComparing(Path::getFileName)).toList()) {
                    schema += Files.readString(file);
                }
            }
            // It writes what no service could.
            sql(schema, "SET session_replication_role = replica");
            admin.createTopics(List.of("requests", "retry-1", "retry-2", "retry-3", "outcomes", "dlq", "disputes").stream()
                    .map(name -> new NewTopic(prefix + "." + name, 1, (short) 1)).toList()).all().get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Files of functions come last, as for Flyway. */
    private static int version(Path migration) {
        String name = migration.getFileName().toString();
        return name.startsWith("R__") ? Integer.MAX_VALUE : Integer.parseInt(name.replaceAll("V(\\d+)__.*", "$1"));
    }

    private HttpListener serve(List<String> ledger) {
        return HttpListener.start("a ledger", 0, request -> {
            int after = Integer.parseInt(request.query().replaceAll(".*after=(\\d+).*", "$1"));
            List<String> all = request.path().endsWith("/movements") ? ledger : request.path().endsWith("/requests") ? requests
                    : ledger == ledgers.getFirst() ? disputes : List.of();
            String page = all.stream().skip(after).limit(2).map(line -> line + "\n")
                    .collect(Collectors.joining());
            return new HttpAnswer.Full(200, Map.of(), page.getBytes(StandardCharsets.UTF_8));
        });
    }

    private static Connection connect(String url) {
        try {
            return DriverManager.getConnection(url + "&currentSchema=chargeonce");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    Connection connect() {
        return connect(url);
    }

    void sql(String... statements) {
        try (var statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Appends a record and says where; headers come in pairs. */
    long send(String topic, String key, String value, String... headers) {
        var record = new ProducerRecord<>(prefix + "." + topic, bytes(key), bytes(value));
        for (int i = 0; i < headers.length; i += 2) {
            record.headers().add(headers[i], bytes(headers[i + 1]));
        }
        try {
            return producer.send(record).get().offset();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Money that moved at the first or second PSP. */
    void moved(int psp, String kind, String payment, long amount, String currency, String key, String operation) {
        ledgers.get(psp).add("""
                {"kind":"%s","id":"m_%s","payment_intent":"pi_%s","amount":%d,"currency":"%s","at":"%s",\
                "metadata":{"payment_id":"%s","operation_id":"%s"},"idempotency_key":"%s"}"""
                .formatted(kind, UUID.randomUUID(), payment, amount, currency, START, payment, operation, key));
    }

    /** What a customer disputes at the first PSP. */
    void disputed(String id, String payment, long amount, String stage, String funds) {
        disputes.add("""
                {"id":"%s","payment":"pi_%s","metadata":{"payment_id":"%2$s"},"amount":%d,"currency":"eur","value":"%s",\
                "stage":"%s","funds":"%s"}""".formatted(id, payment, amount, BigDecimal.valueOf(amount, 2), stage, funds));
    }

    /** Money that a bank has moved, 12.99 EUR. It names the attempt by its key, and knows no operation. */
    void booked(String kind, String payment, String key) {
        ledgers.get(1).add("""
                {"kind":"%s","id":"m_%s","payment":"%s","reference":"%3$s","amount":1299,"currency":"eur","at":"%s",\
                "metadata":{"payment_id":"%s"},"value":"12.99"}""".formatted(kind, UUID.randomUUID(), key, START, payment));
    }

    /** A file that a bank took, with the keys of its items. */
    void took(String message, String... keys) {
        requests.add("""
                {"at":"%s","method":"PUT","path":"/incoming/%s.xml","message_id":"%2$s","items":["%s"]}"""
                .formatted(START, message, String.join("\",\"", keys)));
    }

    /** The same, by a bank that says which bytes it got. */
    void tookBytes(String message, String sha256, String key) {
        requests.add("""
                {"at":"%s","method":"PUT","path":"/incoming/%s.xml","message_id":"%2$s","items":["%s"],"sha256":"%s"}"""
                .formatted(START, message, key, sha256));
    }

    /** A PSP's answer to the attempt under this key. */
    void answered(String key, int status) {
        requests.add("""
                {"at":"%s","method":"POST","path":"/v1/payment_intents/pi_1/confirm","idempotency_key":"%s-confirm","status":%d,\
                "fate":"executed"}""".formatted(START, key, status));
    }

    /** A service that says this of itself. */
    URI telling(String metrics) {
        HttpListener service = HttpListener.start("a service", 0,
                request -> new HttpAnswer.Full(200, Map.of(), metrics.getBytes(StandardCharsets.UTF_8)));
        services.add(service);
        return URI.create("http://127.0.0.1:" + service.port());
    }

    void forgetMovements() {
        ledgers.forEach(List::clear);
    }

    /** The consumers have finished everything that is on their topics. */
    void commitOffsets() {
        try {
            for (String name : List.of("requests", "retry-1", "retry-2", "retry-3")) {
                var partition = new TopicPartition(prefix + "." + name, 0);
                long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
                admin.alterConsumerGroupOffsets(prefix + "." + name + ".workers", Map.of(partition, new OffsetAndMetadata(end)))
                        .all().get();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    Path log(String text) throws IOException {
        Path file = Files.createTempFile("world", ".log");
        Files.writeString(file, text);
        file.toFile().deleteOnExit();
        return file;
    }

    CheckVerdict check() {
        return Checker.check(evidence(), Sources.of(evidence()), List.of(), shares);
    }

    CheckEvidence evidence() {
        List<URI> addresses = psps.stream().map(psp -> URI.create("http://127.0.0.1:" + psp.port())).toList();
        return new CheckEvidence(url, "postgres", "", new HashMap<>(kafka), prefix, List.of(TIER, TIER, TIER), tiersSince, addresses,
                Optional.of(new Calls.InMemory(calls, refundCalls)), planted, logs, inFlightAllowed, ourReceipts,
                recovery, arrivals);
    }

    /** Money that moved as the PSP's own table says it, in a currency that it counts in a way of its own. */
    void movedAs(String kind, String payment, long said, String value, String currency, String operation) {
        ledgers.get(1)
                .add("""
                {"kind":"%s","id":"m_%s","amount":%d,"currency":"%s","at":"%s",\
                "metadata":{"payment_id":"%s","operation_id":"%s"},"value":"%s"}"""
                        .formatted(kind, UUID.randomUUID(), said, currency.toLowerCase(java.util.Locale.ROOT), START, payment, operation,
                                value));
    }

    /** The broker has deleted what is older than this, all of it. */
    void forget(String topic, Duration retention) {
        try {
            var partition = new TopicPartition(prefix + "." + topic, 0);
            long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, partition.topic()),
                    List.of(new AlterConfigOp(new ConfigEntry("retention.ms", "" + retention.toMillis()), AlterConfigOp.OpType.SET)))).all()
                    .get();
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(end))).all().get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        producer.close();
        admin.close();
        psps.forEach(HttpListener::close);
        services.forEach(HttpListener::close);
    }

    /** This invariant alone is broken, for this payment, which is shown with its timeline; each of the counts is one. */
    void breaks(Invariant invariant, String subject, String... counts) {
        CheckVerdict verdict = check();
        assertThat(verdict.violations()).as(verdict.report()).isNotEmpty().allSatisfy(violation -> {
            assertThat(violation.invariant()).isEqualTo(invariant);
            assertThat(violation.subject()).contains(subject);
        });
        assertThat(verdict.kind()).isEqualTo(CheckVerdict.Kind.BROKEN);
        for (String count : counts) {
            assertThat(verdict.count(count)).as(count).isEqualTo(1);
        }
        assertThat(verdict.timelines()).containsKey(subject);
    }
}
