// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import io.chargeonce.payment.Money;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many, and how much money. Currencies are never added to each other.
 *
 * @param money  minor units by currency; poison has none
 * @param counts how many have money in each currency
 */
public record Sum(long count, SortedMap<String, Long> money, SortedMap<String, Long> counts) {

    public static final Sum NOTHING = new Sum(0, new TreeMap<>(), new TreeMap<>());

    /**
     * Then the most of them first. Amounts of several currencies are compared as they are written: nothing here knows a rate.
     */
    public static final Comparator<Sum> MOST_MONEY_FIRST =
            Comparator.comparing(Sum::largestAmount).thenComparingLong(Sum::count).reversed();

    public Sum {
        money = Collections.unmodifiableSortedMap(new TreeMap<>(money));
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }

    /** One dead letter's. */
    public static Sum of(Optional<Money> money) {
        return money.map(amount -> ofRow(amount.currency(), 1, amount.minorUnits())).orElseGet(() -> ofRow(null, 1, 0));
    }

    /** @param currency null for poison, as a GROUP BY returns it */
    public static Sum ofRow(String currency, long count, long minorUnits) {
        return currency == null ? new Sum(count, new TreeMap<>(), new TreeMap<>())
                : new Sum(count, new TreeMap<>(Map.of(currency, minorUnits)), new TreeMap<>(Map.of(currency, count)));
    }

    public Sum plus(Sum other) {
        return new Sum(count + other.count, together(money, other.money), together(counts, other.counts));
    }

    /** What is left, without currencies of which nothing is left. */
    public Sum minus(Sum less) {
        Sum left = plus(new Sum(-less.count, negated(less.money), negated(less.counts)));
        var money = new TreeMap<>(left.money);
        money.keySet().removeIf(currency -> left.countOf(currency) == 0);
        var counts = new TreeMap<>(left.counts);
        counts.values().removeIf(count -> count == 0);
        return new Sum(left.count, money, counts);
    }

    private static SortedMap<String, Long> negated(SortedMap<String, Long> amounts) {
        var negated = new TreeMap<String, Long>();
        amounts.forEach((currency, amount) -> negated.put(currency, -amount));
        return negated;
    }

    private static SortedMap<String, Long> together(SortedMap<String, Long> one, SortedMap<String, Long> other) {
        var both = new TreeMap<>(one);
        other.forEach((currency, amount) -> both.merge(currency, amount, Math::addExact));
        return both;
    }

    private BigDecimal largestAmount() {
        return money.entrySet().stream().map(entry -> new BigDecimal(Money.format(entry.getValue(), entry.getKey()).split(" ")[0]))
                .max(Comparator.naturalOrder()).orElse(BigDecimal.ONE.negate());
    }

    /** How many have money in this currency. */
    public long countOf(String currency) {
        return counts.getOrDefault(currency, 0L);
    }

    /** How many have no money: records that never became a payment. */
    public long withoutMoney() {
        return count - counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** {@code 12.99 EUR}, {@code 700 JPY}: one for each currency; a dash when no money is concerned. */
    public List<String> moneyLines() {
        return money.isEmpty() ? List.of("–")
                : money.entrySet().stream().map(entry -> Money.format(entry.getValue(), entry.getKey())).toList();
    }
}
