// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;

/**
 * A real Kafka broker and its controller in this JVM, reachable on 127.0.0.1 only. Topics and offsets stay in the data
 * directory: a second start over it finds them, also after a SIGKILL. Any thread may call it.
 */
public final class KafkaBroker implements AutoCloseable {
    /** Always the same. So a directory can be formatted again, also one that a kill left half formatted. */
    private static final String CLUSTER = "Y2hhcmdlb25jZXNhbmRieA";

    private final KafkaRaftServer server;
    private final DirectoryLock lock;
    private final int port;
    private boolean closed;

    private KafkaBroker(KafkaRaftServer server, DirectoryLock lock, int port) {
        this.server = server;
        this.lock = lock;
        this.port = port;
    }

    /**
     * Starts a broker and returns when it takes requests.
     *
     * @param port the port to listen on, or 0 for any free one
     * @throws IllegalStateException if the port or the directory is in use
     */
    public static KafkaBroker start(Path dataDirectory, int port) {
        return start(dataDirectory, port, List.of());
    }

    /**
     * One more address of a broker, for clients with a name and a password.
     *
     * @param port           where it listens
     * @param advertisedPort the port that clients get for this broker, for example of a proxy
     */
    public record Guarded(int port, int advertisedPort) {}

    /**
     * The same, with more addresses than the first, at which a client needs a user that was made with SCRAM-SHA-256.
     *
     * @throws IllegalStateException if a port or the directory is in use
     */
    public static KafkaBroker start(Path dataDirectory, int port, List<Guarded> guarded) {
        int chosen = LoopbackPort.choose("Kafka", port);
        Properties settings = KafkaSettings.of(dataDirectory, chosen, LoopbackPort.chooseBeside("Kafka's controller", chosen), guarded);
        DirectoryLock lock = DirectoryLock.take("Kafka", dataDirectory, dataDirectory.resolve("sandbox.lock"));
        try {
            format(dataDirectory);
            KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
            startUp(server);
            return new KafkaBroker(server, lock, chosen);
        } catch (Exception e) {
            lock.close();
            throw new IllegalStateException("Kafka did not start over " + dataDirectory + ": " + e.getMessage()
                    + "; the log says more", e);
        }
    }

    private static void startUp(KafkaRaftServer server) {
        try {
            server.startup();
        } catch (RuntimeException e) {
            server.shutdown();
            throw e;
        }
    }

    private static void format(Path dataDirectory) throws Exception {
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
                .setNodeId(KafkaSettings.NODE)
                .setClusterId(CLUSTER)
                .setControllerListenerName(KafkaSettings.CONTROLLER_LISTENER)
                .setDirectories(List.of(dataDirectory.toString()))
                .setMetadataLogDirectory(dataDirectory.toString())
                .setIgnoreFormatted(true)
                .run();
    }

    /** What clients take as {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return LoopbackPort.HOST + ":" + port;
    }

    public int port() {
        return port;
    }

    /** Stops cleanly, with all records on their way to disk. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            server.shutdown();
            server.awaitShutdown();
            lock.close();
        }
    }
}
