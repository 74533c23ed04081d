// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.console.ConsoleService;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(name = "console", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = {"Runs the console: a page in the browser over the dead-letter queue, and a witness over Kafka.",
            "People sign in with their own login at Postgres, as LOGIN:PASSWORD. Settings come from CHARGEONCE_… variables."},
        footer = {"", "Example:", "  CHARGEONCE_CONSOLE_ADDRESS=127.0.0.1:8081 chargeonce console"})
final class ConsoleCommand implements Callable<Integer> {

    private static final String STREAMS = "org.apache.kafka.streams.KafkaStreams";
    private static final int USAGE = 2;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (!isHere(STREAMS)) {
            spec.commandLine().getErr().println("chargeonce console: Kafka Streams is not in this image; use the image chargeonce-console, "
                    + "which deploy/docker/build makes beside this one.");
            return USAGE;
        }
        ConsoleSettings settings = Environment.read(ConsoleSettings.ALL, ConsoleSettings::from);
        LoggerFactory.getLogger(ConsoleCommand.class).info("{} starts as console", Build.CURRENT);
        try (var meters = Meters.of("console"); var service = ConsoleService.start(settings, meters)) {
            return ExitCode.of(service::awaitShutdown);
        }
    }

    private static boolean isHere(String name) {
        try {
            Class.forName(name, false, ConsoleCommand.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException notInThisImage) {
            return false;
        }
    }
}
