// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.psp.PspProviders;
import io.chargeonce.runtime.Build;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.tracing.Tracing;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(name = "ingest", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs the ingest service: takes payments over HTTP. Settings come from CHARGEONCE_… variables.",
        footer = {"", "Example:", "  CHARGEONCE_INGEST_ADDRESS=0.0.0.0:8080 chargeonce ingest"})
final class IngestCommand implements Callable<Integer> {

    @Override
    public Integer call() throws InterruptedException {
        PspProviders psps = PspProviders.in(Settings.first(System.getenv(), Settings.PSP_PLUGINS));
        List<Setting<?>> catalogue = Stream.of(Environment.CATALOGUE, psps.settingsOfPlugins()).flatMap(List::stream).toList();
        IngestSettings settings =
                Settings.load(System.getenv(), IngestSettings.ALL, catalogue).read(IngestSettings::from).with(psps.known());
        LoggerFactory.getLogger(IngestCommand.class).info("{} starts as ingest-service", Build.CURRENT);
        try (var tracing = Tracing.of("ingest-service", System.getenv());
             var meters = Meters.of("ingest-service"); var service = IngestService.start(settings, meters, tracing)) {
            return ExitCode.of(service::awaitShutdown);
        }
    }
}
