// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;

/** A witness in a process of its own, to be killed once it has said what it knows. */
final class WitnessProcess {

    private WitnessProcess() {}

    /** @param arguments the brokers, the topics' prefix, the folder */
    public static void main(String[] arguments) throws InterruptedException {
        var settings = new WitnessSettings(Optional.empty(), Optional.of(Path.of(arguments[2])), Duration.ofSeconds(3),
                Duration.ofSeconds(1), Duration.ofDays(14), Duration.ofMillis(200));
        WitnessView view = Witness.start(settings, new KafkaConnection(arguments[0], Map.of()), new Topics(arguments[1]),
                List.of(Duration.ofSeconds(2), Duration.ofMinutes(10)), new SimpleMeterRegistry()).view();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> view.progress().state() == Progress.State.LIVE);
        System.out.println("live with %d accepted, %d settled".formatted(in(view, "accepted"), in(view, "settled")));
        Thread.currentThread().join();
    }

    private static long in(WitnessView view, String stage) {
        return view.stages().stream().filter(each -> each.name().equals(stage)).mapToLong(Stage::in).sum();
    }
}
