// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import io.chargeonce.payment.Money;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many, and how much money. Currencies are never added to each other.
 *
 * @param money minor units by currency; poison has none
 */
public record Sum(long count, SortedMap<String, Long> money) {

    public static final Sum NOTHING = new Sum(0, new TreeMap<>());

    public Sum {
        money = Collections.unmodifiableSortedMap(new TreeMap<>(money));
    }

    /** One dead letter's. */
    public static Sum of(Optional<Money> money) {
        return new Sum(1, money
                .map(amount -> new TreeMap<>(Map.of(amount.currency(), amount.minorUnits()))).orElseGet(TreeMap::new));
    }

    /** @param currency null for poison, as a GROUP BY returns it */
    public static Sum ofRow(String currency, long count, long minorUnits) {
        return new Sum(count, currency == null ? new TreeMap<>() : new TreeMap<>(Map.of(currency, minorUnits)));
    }

    public Sum plus(Sum other) {
        var both = new TreeMap<>(money);
        other.money.forEach((currency, amount) -> both.merge(currency, amount, Math::addExact));
        return new Sum(count + other.count, both);
    }

    /** {@code 12.99 EUR}, {@code 700 JPY}: one for each currency; a dash when no money is concerned. */
    public List<String> moneyLines() {
        return money.isEmpty() ? List.of("–")
                : money.entrySet().stream().map(entry -> Money.format(entry.getValue(), entry.getKey())).toList();
    }
}
