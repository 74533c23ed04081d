// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.load.poison.PoisonCorpus;
import io.chargeonce.sandbox.TestStack;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

class ReplayCommandTest {

    private final String topic = "replayed-" + UUID.randomUUID();
    private final StringWriter told = new StringWriter();
    @TempDir
    private Path directory;

    @BeforeEach
    void createTopic() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(Map.of("max.message.bytes", "300000")))).all().get();
        }
    }

    @Test
    void a_corpus_comes_onto_the_topic_byte_for_byte() {
        Path file = directory.resolve("poison.ndjson");
        assertThat(run("poison", file.toString())).isZero();
        assertThat(run("replay", file.toString(), "--topic", topic, "--rate", "1000", "--kafka", TestStack.kafka().bootstrapServers()))
                .isZero();
        var corpus = PoisonCorpus.of(new Random(1));
        assertThat(told.toString()).contains(corpus.size() + " records are on " + topic);
        assertThat(values(corpus.size())).containsExactlyElementsOf(corpus.stream().map(record -> text(record.value())).toList());
    }

    @Test
    void what_the_broker_refuses_is_counted_and_the_rest_goes_on() throws Exception {
        String tooLarge = Base64.getEncoder().encodeToString(incompressible(600_000));
        Path file = Files.writeString(directory.resolve("recorded.ndjson"),
                "{\"value\":\"YQ==\"}\n\n{\"value\":\"%s\"}\n{\"value\":\"Yg==\"}\n".formatted(tooLarge));
        assertThat(run("replay", file.toString(), "--topic", topic, "--kafka", TestStack.kafka().bootstrapServers(), "--json"))
                .isEqualTo(1);
        assertThat(new JsonMapper().readTree(told.toString()))
                .isEqualTo(new JsonMapper().readTree("{\"topic\":\"%s\",\"sent\":2,\"refused\":1}".formatted(topic)));
        assertThat(values(2)).containsExactly("a", "b");
    }

    @Test
    void a_topic_that_is_not_there_is_not_made_and_a_file_that_is_not_there_is_told() throws Exception {
        Path file = Files.writeString(directory.resolve("recorded.ndjson"), "{\"value\":\"YQ==\"}\n");
        String kafka = TestStack.kafka().bootstrapServers();
        assertThat(run("replay", file.toString(), "--topic", topic + "-typo", "--kafka", kafka)).isNotZero();
        assertThat(told.toString()).contains("there is no topic " + topic + "-typo");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            assertThat(admin.listTopics().names().get()).doesNotContain(topic + "-typo");
        }
        assertThat(run("replay", "nowhere.ndjson", "--topic", topic, "--kafka", kafka)).isEqualTo(2);
        assertThat(told.toString()).contains("nowhere.ndjson");
    }

    /** Batches are compressed before they are measured. */
    private static byte[] incompressible(int size) {
        byte[] bytes = new byte[size];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private int run(String... arguments) {
        var screen = new PrintWriter(told, true);
        return new CommandLine(new LoadCommand()).setOut(screen).setErr(screen).execute(arguments);
    }

    private static String text(Optional<byte[]> value) {
        return value.map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1)).orElse("null");
    }

    private List<String> values(int count) {
        Map<String, Object> settings = Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers(), "enable.auto.commit", "false");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            var values = new ArrayList<String>();
            while (values.size() < count) {
                consumer.poll(Duration.ofSeconds(5)).forEach(record -> values.add(text(Optional.ofNullable(record.value()))));
            }
            return values;
        }
    }
}
