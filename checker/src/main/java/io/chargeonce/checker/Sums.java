// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.finding.Invariant;

/** Compares money per merchant and currency, as rows, outcome events and ledgers tell it. */
final class Sums {

    private Sums() {}

    static void check(CheckTotals totals, boolean ledgersRead) {
        boolean announcing = totals.money.values().stream().anyMatch(money -> money.announcing);
        totals.money.forEach((whose, money) -> {
            boolean announced = announcing || money.announced == money.succeeded - money.forgotten;
            if (!announced || ledgersRead && money.captured != money.succeeded) {
                totals.findings.addGeneral(Invariant.MONEY_SUM, "%s: %d succeeded, %d announced, %s captured".formatted(
                        whose, money.succeeded, money.announced + money.forgotten, ledgersRead ? "" + money.captured : "?"));
            }
        });
    }
}
