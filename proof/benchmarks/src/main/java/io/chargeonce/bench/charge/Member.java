// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.runtime.PipelineSettings;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The charge engine as a process of its own: it can be killed, and its memory is its own. Its PSP keeps no ledger. */
public final class Member {

    private Member() {}

    /** Arguments: JDBC URL, bootstrap servers, topic prefix, milliseconds that a call of the PSP takes. Ends when it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.ROOT);
        long latency = Long.parseLong(arguments[3]);
        var pipeline = new PipelineSettings(arguments[0], "postgres", "", arguments[1], Optional.empty(), arguments[2],
                List.of(Chargeonce.TIERS), Optional.empty());
        Chargeonce.start(pipeline, (key, payment) -> {
            sleep(latency);
            return "ref_" + key;
        });
        Thread.currentThread().join();
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted during a call", e);
        }
    }

    static Process start(PipelineSettings pipeline, Duration pspLatency, String... options) throws IOException {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Member.class.getName(), pipeline.databaseUrl(),
                pipeline.kafka(), pipeline.topicPrefix(), "" + pspLatency.toMillis()));
        return new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD).start();
    }
}
