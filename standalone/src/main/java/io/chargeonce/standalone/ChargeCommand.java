package io.chargeonce.standalone;

import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.runtime.Meters;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "charge", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "The charge consumers alone: the main topic, unknown outcomes and lost work. Settings come from CHARGEONCE_… variables.",
        footer = {"", "Example:", "  CHARGEONCE_STRIPE_API_KEY_FILE=/run/secrets/stripe chargeonce charge"})
final class ChargeCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        ChargeSettings settings = Environment.read(ChargeSettings.ALL, ChargeSettings::from);
        try (var meters = Meters.of("charge-consumer"); var service = ChargeService.start(settings, meters)) {
            service.awaitShutdown();
        }
        return 0;
    }
}
