// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import io.chargeonce.tracing.Tracing;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(name = "retry", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs the consumers of the retry tiers. Settings come from CHARGEONCE_… variables.",
        footer = {"", "Example:", "  CHARGEONCE_STRIPE_API_KEY_FILE=/run/secrets/stripe chargeonce retry"})
final class RetryCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        ChargeSettings settings = ChargeSettings.read(System.getenv(), Environment.CATALOGUE);
        LoggerFactory.getLogger(RetryCommand.class).info("{} starts as retry-consumers", Build.CURRENT);
        try (var tracing = Tracing.of("retry-consumers", System.getenv());
             var meters = Meters.of("retry-consumers"); var service = RetryService.start(settings, meters, tracing)) {
            return ExitCode.of(service::awaitShutdown);
        }
    }
}
