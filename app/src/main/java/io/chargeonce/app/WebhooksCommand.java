// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import io.chargeonce.notifications.webhook.WebhookService;
import io.chargeonce.notifications.webhook.WebhookSettings;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(name = "webhook-sender", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs the webhooks service: it sends outcomes to the endpoints of merchants. Settings come from CHARGEONCE_… "
                + "variables.",
        footer = {"", "Example:", "  CHARGEONCE_DELIVERY_KEY_FILE=/run/secrets/webhook-key chargeonce webhook-sender"})
final class WebhooksCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        WebhookSettings settings = Environment.read(WebhookSettings.ALL, WebhookSettings::from);
        LoggerFactory.getLogger(WebhooksCommand.class).info("{} starts as webhook-sender", Build.CURRENT);
        try (var meters = Meters.of("webhook-sender"); var service = WebhookService.start(settings, meters)) {
            return ExitCode.of(service::awaitShutdown);
        }
    }
}
