// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;

/** An ingest service in a process of its own. */
record IngestProcess(Process process, int port) implements AutoCloseable {

    static int freePort() throws IOException {
        try (var free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    static IngestProcess start(String databaseUrl, String kafka, String topicPrefix, int port) throws IOException {
        return start(List.of(), databaseUrl, kafka, topicPrefix, port);
    }

    /** @param files that it may open at most */
    static IngestProcess startWithFiles(int files, String databaseUrl, String kafka, String topicPrefix, int port) throws IOException {
        return start(List.of("sh", "-c", "ulimit -n " + files + "; exec \"$@\"", "sh"), databaseUrl, kafka, topicPrefix, port);
    }

    private static IngestProcess start(List<String> before, String databaseUrl, String kafka, String topicPrefix, int port)
            throws IOException {
        var command = new ArrayList<>(before);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                IngestProcess.class.getName(), databaseUrl, kafka, topicPrefix, "" + port));
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        return new IngestProcess(process, port);
    }

    IngestProcess awaitOpen() {
        Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreException(ConnectException.class).until(() -> {
            new Socket("127.0.0.1", port).close();
            return true;
        });
        return this;
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    public static void main(String[] place) throws InterruptedException {
        var pipeline = IngestWorld.pipeline(place[0], place[1], place[2], Optional.empty());
        var settings = new IngestSettings(pipeline, new Address("127.0.0.1", Integer.parseInt(place[3])), 16, Duration.ofHours(24));
        IngestService.start(settings, Meters.of("ingest-service")).awaitShutdown();
    }
}
