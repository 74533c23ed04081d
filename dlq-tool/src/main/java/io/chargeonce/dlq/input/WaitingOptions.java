// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.query.PaymentNames;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.payment.Money;
import io.chargeonce.wire.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that select waiting payments and refunds. */
public final class WaitingOptions {

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Only these payments and refunds.")
    List<String> ids = new ArrayList<>();

    @Option(names = "--tier", paramLabel = "N", description = "Only what waits in this retry tier.")
    Optional<String> tier;

    @Option(names = "--cause", paramLabel = "CAUSE", description = "Only what failed, or was parked, by this cause.")
    Optional<String> cause;

    @Option(names = "--psp", paramLabel = "PSP", description = "Only what waits for this PSP: it went there last, or may go there first.")
    Optional<String> psp;

    @Option(names = "--merchant", paramLabel = "MERCHANT", description = "Only this merchant's.")
    Optional<String> merchant;

    @Option(names = "--currency", paramLabel = "CURRENCY", description = "Only in this currency, such as EUR.")
    Optional<String> currency;

    @Option(names = "--key", paramLabel = "KEY", description = "Only with this idempotency key.")
    Optional<String> key;

    @Option(names = "--reference", paramLabel = "TEXT", description = "Only with this reference of their merchant.")
    Optional<String> reference;

    @Option(names = "--customer", paramLabel = "TEXT", description = "Only this customer's.")
    Optional<String> customer;

    @Option(names = "--psp-reference", paramLabel = "TEXT",
            description = "Only with an attempt that has this reference of the PSP, or was sent under this key.")
    Optional<String> pspReference;

    public WaitingFilter filter(InputProblems problems) {
        currency.filter(code -> !Money.isCurrency(code)).ifPresent(
                code -> problems.add("--currency is '%s', but must be three capital letters of ISO 4217, such as EUR".formatted(code)));
        Optional<Integer> number = problems.number("--tier", tier);
        number.filter(one -> one > Topics.MOST_TIERS)
                .ifPresent(one -> problems.add("--tier is %d, but there are at most %d".formatted(one, Topics.MOST_TIERS)));
        var filter = new WaitingFilter(ids.isEmpty() ? Optional.empty() : Optional.of(ids), cause, psp, merchant, number, currency,
                new PaymentNames(key, reference, customer, pspReference), false);
        if (!ids.isEmpty() && !filter.equals(WaitingFilter.ofIds(ids))) {
            problems.add("name ids or a filter, not both");
        }
        return filter;
    }
}
