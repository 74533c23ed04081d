// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.TooLargeRecord;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process with a small heap, and records that are a few kilobytes in Kafka and 250 MB unpacked. */
class CompressionBombTest {

    @Test
    @Tag("proof")
    void a_process_with_a_small_heap_puts_bombs_away_and_does_all_other_work(@TempDir Path directory) throws Exception {
        Path done = directory.resolve("output");
        try (TestTopic topic = TestTopic.withPartitions(2)) {
            topic.send(0, "k", "before");
            topic.sendZeros(0, 250_000_000);
            topic.send(0, "k", "between");
            topic.sendZeros(0, 250_000_000);
            topic.send(0, "k", "behind");
            topic.send(1, "k", "beside");
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
                    "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                    Child.class.getName(), TestTopic.CONNECTION.bootstrapServers(), topic.name())
                    .redirectErrorStream(true).redirectOutput(done.toFile()).start();
            try {
                await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
                    assertThat(process.isAlive()).as(() -> "the process lives").isTrue();
                    assertThat(Files.readString(done)).contains("done: before", "done: between", "done: behind", "done: beside",
                            "done: offset 1 of " + topic.name() + "-0", "done: offset 3 of " + topic.name() + "-0");
                });
                topic.send(1, "k", "later");
                await().untilAsserted(() -> assertThat(Files.readString(done)).contains("done: later"));
                await().untilAsserted(() -> assertThat(topic.committed()).containsEntry(0, 5L));
                assertThat(Files.readString(done)).contains("java.lang.OutOfMemoryError");
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
    }

    /** The process. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            var consumers = new ConsumerSettings(new KafkaConnection(arguments[0], Map.of()), arguments[1], GroupProtocol.CLASSIC);
            new RecordLoop(LoopSettings.of("child", Set.of(arguments[1]), 4), consumers, DueTimes.immediately(), record -> {
                System.out.println("done: " + (record instanceof TooLargeRecord large ? large.told() : new String(record.value())));
                return Verdict.done();
            }, InstantSource.system(), new SimpleMeterRegistry()).start();
        }
    }
}
