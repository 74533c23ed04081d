// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.query.PaymentCriteria;
import io.chargeonce.dlq.query.PaymentNames;
import io.chargeonce.payment.Money;
import io.chargeonce.wire.Topics;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a payment must be like. */
final class TraitOptions {

    @Option(names = "--currency", paramLabel = "CURRENCY", description = "Only payments in this currency, such as EUR.")
    Optional<String> currency;

    @Option(names = "--min-amount", paramLabel = "N", description = "Only payments of at least this many minor units (1299 is 12.99 EUR).")
    Optional<String> atLeast;

    @Option(names = "--max-amount", paramLabel = "N", description = "Only payments of at most this many minor units.")
    Optional<String> atMost;

    @Option(names = "--tier", paramLabel = "N", description = "Only payments whose last retry tier was this one; 0 for none.")
    Optional<String> tier;

    @Option(names = "--generation", paramLabel = "N", description = "Only payments of this generation: 1, and one more for each merge.")
    Optional<String> generation;

    @Option(names = "--run", paramLabel = "RUN",
            description = "Only what this merge had in its set, this import took in, or this stop stopped. Of what was purged: only what "
                    + "this purge took out.")
    Optional<String> run;

    @Option(names = "--died-again", description = "With the --run of a merge: only what it sent back and is dead again.")
    boolean diedAgain;

    @Option(names = "--key", paramLabel = "KEY", description = "Only payments with this idempotency key.")
    Optional<String> key;

    @Option(names = "--reference", paramLabel = "TEXT", description = "Only payments with this reference of their merchant.")
    Optional<String> reference;

    @Option(names = "--customer", paramLabel = "TEXT", description = "Only this customer's payments.")
    Optional<String> customer;

    @Option(names = "--psp-reference", paramLabel = "TEXT",
            description = "Only payments with an attempt that has this reference of the PSP, or was sent under this key.")
    Optional<String> pspReference;

    PaymentCriteria traits(InputProblems problems) {
        if (currency.filter(code -> !code.matches("[A-Z]{3}")).isPresent()) {
            problems.add("--currency is '%s', but must be three capital letters, such as EUR".formatted(currency.get()));
        }
        currency.filter(code -> code.matches("[A-Z]{3}") && !Money.isCurrency(code))
                .ifPresent(code -> problems.add("--currency is '%s', which is no currency of ISO 4217".formatted(code)));
        run.filter(name -> !name.matches("run_[0-9a-f]{10}")).ifPresent(name -> problems
                .add("--run is '%s', but a run is named like run_0123456789; chargeonce dlq runs and audit show the names"
                        .formatted(name)));
        if (diedAgain && run.isEmpty()) {
            problems.add("--died-again goes with --run: name the merge that sent them back");
        }
        Optional<Integer> known = tier.filter("0"::equals).map(Integer::valueOf).or(() -> problems.number("--tier", tier));
        known.filter(number -> number > Topics.MOST_TIERS).ifPresent(
                number -> problems.add("--tier is %d, but there are at most %d, and 0 is none".formatted(number, Topics.MOST_TIERS)));
        return new PaymentCriteria(currency, problems.minorUnits("--min-amount", atLeast), problems.minorUnits("--max-amount", atMost),
                known, problems.number("--generation", generation), run, diedAgain,
                new PaymentNames(key, reference, customer, pspReference));
    }
}
