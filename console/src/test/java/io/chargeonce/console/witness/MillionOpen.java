// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Told.Message;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A load, and no test: a million open payments on a real broker, a witness in a process of its own, then further payments that come and go.
 * It prints the witness's heap after a collection. Its arguments are how many are open and how many come and go.
 */
final class MillionOpen {

    private static final KafkaConnection KAFKA = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private static final Topics TOPICS = new Topics("million");
    private static final List<Duration> TIERS = List.of(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10));
    private static final long SECONDS = 60;

    private MillionOpen() {}

    public static void main(String[] arguments) throws Exception {
        int open = Integer.parseInt(arguments[0]);
        int more = Integer.parseInt(arguments[1]);
        new TopicPlan(TOPICS, TIERS.size(), 6, Optional.empty()).create(KAFKA.newAdmin());
        try (var producer = new KafkaProducer<>(KAFKA.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < open; i++) {
                send(producer, payment("open", i).requested(Instant.now()));
            }
            producer.flush();
            Process witness = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx900m", "-cp",
                    System.getProperty("java.class.path"), Watching.class.getName(), KAFKA.bootstrapServers()).inheritIO().start();
            try {
                Thread.sleep(Duration.ofSeconds(SECONDS));
                for (int i = 0; i < more; i++) {
                    Told each = payment("goes", i);
                    send(producer, each.requested(Instant.now()));
                    send(producer, each.succeeds(Instant.now()));
                }
                producer.flush();
                System.out.println("all sent");
                Thread.sleep(Duration.ofSeconds(SECONDS));
            } finally {
                witness.destroyForcibly().waitFor();
            }
        }
        System.exit(0);
    }

    private static Told payment(String kind, int number) {
        return Told.charge("pay_%s%022d".formatted(kind, number), 1_000, "EUR", Instant.now());
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, Message message) {
        var record = new ProducerRecord<>(TOPICS.prefix() + message.topic().substring(Told.TOPICS.prefix().length()), message.key(),
                message.value());
        message.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        producer.send(record);
    }

    /** The witness's process. */
    static final class Watching {

        private Watching() {}

        /** @param arguments the brokers */
        public static void main(String[] arguments) throws Exception {
            var settings = new WitnessSettings(Optional.empty(), Optional.of(Files.createTempDirectory("million-")), Duration.ofMinutes(5),
                    Duration.ofMinutes(1), Duration.ofDays(14), Duration.ofSeconds(1));
            long began = System.nanoTime();
            WitnessView view =
                    Witness.start(settings, new KafkaConnection(arguments[0], Map.of()), TOPICS, Told.SOURCE, TIERS,
                            new SimpleMeterRegistry()).view();
            while (true) {
                Thread.sleep(Duration.ofSeconds(5));
                System.gc();
                WitnessProgress progress = view.progress();
                System.out.printf("%3d s  %-10s %5.1f %%  open %,9d  accepted %,9d  heap %,d MB%n",
                        (System.nanoTime() - began) / 1_000_000_000,
                        progress.state(), progress.percent(), progress.open(),
                        view.stages().stream().filter(stage -> stage.name().equals("accepted")).mapToLong(Stage::in).sum(),
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20);
            }
        }
    }
}
