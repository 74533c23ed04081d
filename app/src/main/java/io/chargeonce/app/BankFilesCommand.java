// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.bank.BankFilesService;
import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(name = "bank-files", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs the bank-files service: it sends batches to banks over SFTP and reads what they answer. Settings come from "
                + "CHARGEONCE_… variables.",
        footer = {"", "Example:", "  CHARGEONCE_BANK_FILES=/etc/chargeonce/bank.properties chargeonce bank-files"})
final class BankFilesCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        BankFilesSettings settings = Environment.read(BankFilesSettings.ALL, BankFilesSettings::from);
        LoggerFactory.getLogger(BankFilesCommand.class).info("{} starts as bank-files", Build.CURRENT);
        try (var meters = Meters.of("bank-files"); var service = BankFilesService.start(settings, meters)) {
            return ExitCode.of(service::awaitShutdown);
        }
    }
}
