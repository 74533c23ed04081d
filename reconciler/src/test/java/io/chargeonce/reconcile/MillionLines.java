// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.database.Database;
import io.chargeonce.reconcile.report.Report;
import io.chargeonce.settlement.SettlementKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Reconciles a report in a process of its own, with the heap that its caller gives it. */
final class MillionLines {

    private MillionLines() {}

    /** @param arguments the database's address, and the report's file */
    public static void main(String[] arguments) {
        try (var database = Database.openForCommand(arguments[0], "chargeonce_reconciler", "")) {
            var source = new Source.OfFile(Path.of(arguments[1]), Report.Format.PLAIN.report("bank"));
            Reconciliation.Result result = new Reconciliation(database, SettlementKeys.NONE).run(new Reconciliation.Request("bank",
                    Optional.of(source), Optional.empty(), Optional.empty(), Duration.ofHours(1), true, 1000));
            System.out.println("%d lines, %d new, %d strange, %d unreadable".formatted(result.lines(), result.recorded(),
                    result.totals().items(Finding.STRANGE), result.totals().items(Finding.UNREADABLE)));
        }
    }
}
