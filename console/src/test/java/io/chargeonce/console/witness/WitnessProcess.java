// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.overview.WitnessJson;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A witness in a process of its own, which can be killed and frozen. It says what it knows each time it is asked. */
final class WitnessProcess implements AutoCloseable {

    /** @param balanced null while it does not know, as the page gets it */
    record Word(WitnessProgress.State state, double percent, long toGo, Boolean balanced, long accepted, long settled) {}

    private final Process process;
    private final BufferedReader says;

    private WitnessProcess(Process process) {
        this.process = process;
        this.says = process.inputReader();
    }

    static WitnessProcess start(String brokers, String prefix, Path folder) throws IOException {
        return new WitnessProcess(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-cp",
                System.getProperty("java.class.path"), WitnessProcess.class.getName(), brokers, prefix, folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    Word ask() throws IOException {
        process.outputWriter().write("?");
        process.outputWriter().flush();
        for (String line = says.readLine(); line != null; line = says.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("word")) {
                return new Word(WitnessProgress.State.valueOf(words[1]), Double.parseDouble(words[2]), Long.parseLong(words[3]),
                        words[4].equals("null") ? null : Boolean.valueOf(words[4]), Long.parseLong(words[5]), Long.parseLong(words[6]));
            }
        }
        throw new IOException("the witness has ended");
    }

    /** Alive, and not moving. */
    void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor(10, TimeUnit.SECONDS);
    }

    /** Without a chance to say anything. */
    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** @param arguments the brokers, the topics' prefix, the folder */
    public static void main(String[] arguments) throws IOException {
        var settings = new WitnessSettings(Optional.empty(), Optional.of(Path.of(arguments[2])), Duration.ofSeconds(3),
                Duration.ofSeconds(1), Duration.ofDays(14), Duration.ofMillis(200));
        WitnessView view = Witness.start(settings, new KafkaConnection(arguments[0], Map.of()), new Topics(arguments[1]), Told.SOURCE,
                List.of(Duration.ofSeconds(2), Duration.ofMinutes(10)), new SimpleMeterRegistry()).view();
        while (System.in.read() >= 0) {
            WitnessProgress progress = view.progress();
            System.out.println(String.format(Locale.ROOT, "word %s %f %d %s %d %d", progress.state(), progress.percent(),
                    progress.recordsToGo(), WitnessJson.conservation(view).get("balanced"), in(view, "accepted"), in(view, "settled")));
        }
        Runtime.getRuntime().halt(0);
    }

    private static long in(WitnessView view, String stage) {
        return view.stages().stream().filter(each -> each.name().equals(stage)).mapToLong(Stage::in).sum();
    }
}
