// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.options;

import io.chargeonce.dlq.query.PaymentCriteria;
import io.chargeonce.dlq.terminal.screen.Problems;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a payment must be like. */
final class TraitOptions {

    @Option(names = "--currency", paramLabel = "CURRENCY", description = "Only payments in this currency, such as EUR.")
    Optional<String> currency;

    @Option(names = "--min-amount", paramLabel = "N", description = "Only payments of so many minor units (1299 is 12.99 EUR) or more.")
    Optional<String> atLeast;

    @Option(names = "--max-amount", paramLabel = "N", description = "Only payments of so many minor units or less.")
    Optional<String> atMost;

    @Option(names = "--tier", paramLabel = "N", description = "Only payments that waited in this retry tier last; 0 for none.")
    Optional<String> tier;

    @Option(names = "--generation", paramLabel = "N", description = "Only payments of this generation: 1, and one more for each merge.")
    Optional<String> generation;

    @Option(names = "--run", paramLabel = "RUN",
            description = "Only what this merge run had in its set; of what was purged, only what this purge took out.")
    Optional<String> run;

    PaymentCriteria traits(Problems problems) {
        if (currency.filter(code -> !code.matches("[A-Z]{3}")).isPresent()) {
            problems.add("--currency is '%s', but must be three capital letters, such as EUR".formatted(currency.get()));
        }
        return new PaymentCriteria(currency, problems.minorUnits("--min-amount", atLeast), problems.minorUnits("--max-amount", atMost),
                tier.filter("0"::equals).map(Integer::valueOf).or(() -> problems.number("--tier", tier)),
                problems.number("--generation", generation), run);
    }
}
