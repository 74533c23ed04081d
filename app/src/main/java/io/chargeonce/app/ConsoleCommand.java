// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.console.ConsoleService;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(name = "console", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = {
            "Runs the witness: it reads the pipeline's topics and reports payments that are overdue, and money that goes missing.",
            "Health, metrics and the topic payments.overdue tell what it finds. Settings come from CHARGEONCE_… variables."},
        footer = {"", "Example:", "  CHARGEONCE_ADMIN_ADDRESS=127.0.0.1:9101 chargeonce console"})
final class ConsoleCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        ConsoleSettings settings = Environment.read(ConsoleSettings.ALL, ConsoleSettings::from);
        LoggerFactory.getLogger(ConsoleCommand.class).info("{} starts as console", Build.CURRENT);
        try (var meters = Meters.of("console"); var service = ConsoleService.start(settings, meters)) {
            service.awaitShutdown();
        }
        return 0;
    }
}
