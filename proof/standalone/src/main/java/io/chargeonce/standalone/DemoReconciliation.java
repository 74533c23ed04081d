// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.database.Database;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.reconcile.BankSource;
import io.chargeonce.reconcile.Finding;
import io.chargeonce.reconcile.Reconciliation;
import io.chargeonce.reconcile.Source;
import io.chargeonce.reconcile.StripeSource;
import io.chargeonce.reconcile.report.Report;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.settlement.SettlementKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The nightly comparison, with what both simulators and the bank say that they booked. */
final class DemoReconciliation {

    private DemoReconciliation() {}

    /** What it found, in lines for people. */
    static List<String> run(Database database, StripeSimulator stripe, AdyenSimulator adyen) {
        var lines = new ArrayList<String>();
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        var listed = new StripeSource(new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(), Duration.ofSeconds(20)),
                now.minus(1, ChronoUnit.DAYS), now);
        lines.addAll(compared(database, "stripe", listed, now));
        try {
            Path file = Files.createTempFile("settlement_detail_report_batch_1", ".csv");
            Files.writeString(file, adyen.settlementReport());
            lines.addAll(compared(database, "adyen", new Source.OfFile(file, Report.Format.ADYEN.report("adyen")), now));
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines.addAll(compared(database, "bank",
                BankSource.between(database, SettlementKeys.NONE, "bank", now.minus(1, ChronoUnit.DAYS), now), now));
        return lines;
    }

    private static List<String> compared(Database database, String psp, Source source, Instant to) {
        var request = new Reconciliation.Request(psp, Optional.of(source), Optional.of(to.minus(1, ChronoUnit.DAYS)), Optional.of(to),
                Duration.ZERO, true, 3);
        Reconciliation.Result result = new Reconciliation(database, SettlementKeys.NONE).run(request);
        var lines = new ArrayList<String>();
        lines.add("%-6s booked %,d movements of money, and %,d attempts agree with them".formatted(psp, result.recorded(),
                result.totals().items(Finding.AGREES)));
        result.totals().differences()
                .forEach(one -> lines.add("%s: %s".formatted(one.finding().tag(), one.key().orElse("no key of ours"))));
        return lines;
    }
}
