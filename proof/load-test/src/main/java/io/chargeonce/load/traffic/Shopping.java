// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Makes up the calls of a load, one after the other; the same seed makes up the same ones. For one thread. */
final class Shopping {

    /** Two of them are counted in another way by Stripe or Adyen than by ISO 4217. */
    private static final List<String> CURRENCIES = List.of("EUR", "EUR", "EUR", "USD", "USD", "GBP", "JPY", "ISK", "CLP");
    private static final int REMEMBERED = 1_000;
    private static final int CUSTOMERS = 10;

    private final RandomGenerator random;
    private final Mix mix;
    private final List<TrafficMerchant> merchants;
    private final String prefix;
    private final List<PlannedPurchase> earlier = new ArrayList<>();
    private int count;

    /** @param prefix what keys begin with, so that two loads never share one */
    Shopping(RandomGenerator random, Mix mix, List<TrafficMerchant> merchants, String prefix) {
        this.random = random;
        this.mix = mix;
        this.merchants = merchants;
        this.prefix = prefix;
    }

    PlannedPurchase next() {
        int kind = random.nextInt(1000);
        if (!earlier.isEmpty() && kind < mix.repeats() + mix.otherBodies()) {
            PlannedPurchase again = earlier.get(random.nextInt(earlier.size()));
            return kind < mix.repeats() ? again.repeated() : again.withAmount(again.amount() + 1);
        }
        String key = "%s-%06d".formatted(prefix, ++count);
        PlannedOutcome outcome = mix.draw(random);
        var purchase = new PlannedPurchase(merchants.get(random.nextInt(merchants.size())), key, price(),
                CURRENCIES.get(random.nextInt(CURRENCIES.size())), outcome.card(random.nextInt(10)), outcome, true,
                random.nextInt(1000) < mix.refunds(), mix.cancels() > 0 && random.nextInt(1000) < mix.cancels(), customer());
        if (mix.debits() > 0 && random.nextInt(1000) < mix.debits()) {
            purchase = purchase.byDebit();
        }
        if (mix.stored() > 0 && !purchase.card().startsWith("mandate_") && outcome != PlannedOutcome.DECLINED
                && random.nextInt(1000) < mix.stored()) {
            purchase = purchase.by(Wallet.any(random, purchase.merchant().name()));
        }
        if (earlier.size() < REMEMBERED) {
            earlier.add(purchase);
        } else {
            earlier.set(random.nextInt(REMEMBERED), purchase);
        }
        return purchase;
    }

    /** One of a few, who buy often. */
    private Optional<String> customer() {
        return mix.receipts() > 0 && random.nextInt(1000) < mix.receipts()
                ? Optional.of("Customer-%d@example.com".formatted(random.nextInt(CUSTOMERS))) : Optional.empty();
    }

    /** In ISO 4217's units. Every third is a round one: only such an amount passes where it is sent in units 100 times as large. */
    private long price() {
        int hundreds = 1 + random.nextInt(500);
        return 100L * hundreds + (random.nextInt(3) == 0 ? 0 : random.nextInt(100));
    }
}
