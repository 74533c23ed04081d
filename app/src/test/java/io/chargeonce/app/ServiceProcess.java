// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.vault.DataKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A service as a process of its own, without Postgres and Kafka. It logs JSON. */
final class ServiceProcess {

    private ServiceProcess() {}

    /** It serves its metrics while Postgres and Kafka are away. */
    static Process start(String service, int admin, Path directory) throws IOException {
        var builder = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), Main.class.getName(), service).redirectError(ProcessBuilder.Redirect.DISCARD);
        var environment = builder.environment();
        environment.put("CHARGEONCE_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/none");
        environment.put("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1");
        environment.put("CHARGEONCE_INGEST_ADDRESS", "127.0.0.1:0");
        environment.put("CHARGEONCE_ADMIN_ADDRESS", "127.0.0.1:" + admin);
        environment.put("CHARGEONCE_LOG_FORMAT", "json");
        if (service.equals("charge") || service.equals("retry")) {
            Path dataKey = directory.resolve("data-key");
            DataKeys.add(dataKey);
            environment.put("CHARGEONCE_DATA_KEY_FILE", dataKey + DataKeys.PUBLIC);
        }
        environment.put("CHARGEONCE_STRIPE_API_KEY_FILE", Files.setPosixFilePermissions(
                Files.writeString(directory.resolve("key"), "sk_test_sandbox"), PosixFilePermissions.fromString("rw-------")).toString());
        return builder.start();
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
