// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import io.chargeonce.console.session.Sessions;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A console as a process of its own, which can be killed. */
record ConsoleProcess(Process process, int port) {

    static ConsoleProcess start(String url) throws IOException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ConsoleProcess.class.getName(), url).redirectError(Redirect.INHERIT).start();
        BufferedReader told = process.inputReader(StandardCharsets.UTF_8);
        for (String line = told.readLine(); line != null; line = told.readLine()) {
            if (line.startsWith("port ")) {
                return new ConsoleProcess(process, Integer.parseInt(line.substring(5)));
            }
        }
        throw new IllegalStateException("the console did not start");
    }

    /** Without a chance to say anything. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** The database's URL. */
    public static void main(String[] given) throws InterruptedException {
        var pipeline = new PipelineSettings(given[0], "postgres", "", "127.0.0.1:1", Optional.empty(), "payments",
                List.of(Duration.ofSeconds(5)), Optional.empty());
        try (var meters = Meters.of("console"); var console = ConsoleService.start(new ConsoleSettings(pipeline,
                new Address("127.0.0.1", 0), Optional.empty(), QueueRows.VAULT, Sessions.Lifetime.USUAL, ToldWitness.UNUSED),
                new ToldWitness(), meters)) {
            System.out.println("port " + console.port());
            console.awaitShutdown();
        }
    }
}
