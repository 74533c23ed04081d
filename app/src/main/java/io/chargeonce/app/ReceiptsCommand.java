// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.notifications.receipt.ReceiptService;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(name = "receipt-sender", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs the receipts service: it mails receipts to customers. It needs CHARGEONCE_RECEIPTS=chargeonce at charge and "
                + "retry. Settings come from CHARGEONCE_… variables.",
        footer = {"", "Example:",
            "  CHARGEONCE_SMTP_SERVER=mail.example.com:587 CHARGEONCE_RECEIPT_FROM=receipts@example.com chargeonce receipt-sender"})
final class ReceiptsCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        ReceiptSettings settings = Environment.read(ReceiptSettings.ALL, ReceiptSettings::from);
        LoggerFactory.getLogger(ReceiptsCommand.class).info("{} starts as receipt-sender", Build.CURRENT);
        try (var meters = Meters.of("receipt-sender"); var service = ReceiptService.start(settings, meters)) {
            return ExitCode.of(service::awaitShutdown);
        }
    }
}
