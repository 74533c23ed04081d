// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Another JVM that starts a server and is killed (SIGKILL) before it can stop it. */
public final class LeftBehind {
    private LeftBehind() {}

    public static void main(String[] arguments) throws InterruptedException {
        Path directory = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "kafka" -> KafkaBroker.start(directory, Integer.parseInt(arguments[2]));
            case "postgres" -> PostgresServer.start(directory, Integer.parseInt(arguments[2]));
            case "stripe" -> StripeSimulator.start(
                    StripeSimulatorSettings.inMemory().keptIn(directory).port(Integer.parseInt(arguments[2])));
            case "adyen" -> AdyenSimulator.start(
                    AdyenSimulatorSettings.inMemory().keptIn(directory).port(Integer.parseInt(arguments[2])));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("ready");
        new CountDownLatch(1).await();
    }

    /** Starts the server in a JVM of its own; the caller uses it and then kills the JVM. */
    public static Process start(String server, Path directory, int port) throws IOException {
        Process process = new ProcessBuilder(List.of(ProcessHandle.current().info().command().orElseThrow(),
                "-cp", System.getProperty("java.class.path"), LeftBehind.class.getName(),
                server, directory.toString(), Integer.toString(port)))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader output = process.inputReader();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.equals("ready")) {
                return process;
            }
        }
        throw new IllegalStateException("the JVM with " + server + " ended before it was ready");
    }

    public static void kill(Process process) throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
