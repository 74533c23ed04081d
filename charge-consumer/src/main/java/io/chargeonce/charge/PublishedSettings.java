// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.psp.PspSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;

/**
 * Publishes the delays of the retry tiers, the PSPs' addresses and who mails receipts as metrics, so that who checks a pipeline need not be
 * given them.
 */
final class PublishedSettings {

    private PublishedSettings() {}

    static void publish(MeterRegistry meters, List<Duration> tiers, List<PspSettings> psps, boolean ourReceipts) {
        for (int tier = 1; tier <= tiers.size(); tier++) {
            double seconds = tiers.get(tier - 1).toMillis() / 1_000.0;
            Gauge.builder("chargeonce.tier.delay.seconds", () -> seconds).description("How long this retry tier delays")
                    .tag("tier", "" + tier).register(meters);
        }
        psps.forEach(psp -> Gauge.builder("chargeonce.psp.info", () -> 1).description("Where this account's PSP is asked")
                .tag("psp", psp.name()).tag("api", psp.apiBase()).register(meters));
        Gauge.builder("chargeonce.receipts.ours", () -> ourReceipts ? 1 : 0)
                .description("1 if the receipts service mails the receipts, else 0").register(meters);
    }
}
