// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import io.chargeonce.tracing.Tracing;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(name = "charge", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs the charge consumers: the main topic, unknown outcomes and lost work. Settings come from CHARGEONCE_… "
                + "variables.",
        footer = {"", "Example:", "  CHARGEONCE_STRIPE_API_KEY_FILE=/run/secrets/stripe chargeonce charge"})
final class ChargeCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        ChargeSettings settings = ChargeSettings.read(System.getenv(), Environment.CATALOGUE);
        LoggerFactory.getLogger(ChargeCommand.class).info("{} starts as charge-consumer", Build.CURRENT);
        try (var tracing = Tracing.of("charge-consumer", System.getenv());
             var meters = Meters.of("charge-consumer"); var service = ChargeService.start(settings, meters, tracing)) {
            return ExitCode.of(service::awaitShutdown);
        }
    }
}
