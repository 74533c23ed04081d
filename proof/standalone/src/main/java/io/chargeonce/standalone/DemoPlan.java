// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Which payments a demo sends, and what happens to each. The same seed makes the same plan. */
record DemoPlan(List<Payment> payments) {

    /** What will happen to a payment at the PSP. */
    enum Scenario {
        CHARGED("go through"),
        DECLINED("are declined by the card's issuer"),
        FAILS_ONCE("fail once at the PSP"),
        FAILS_TWICE("fail twice"),
        FAILS_ALWAYS("fail each time, until the PSP works again"),
        ANSWER_LOST("are charged, but the PSP's answer is lost");

        final String words;

        Scenario(String words) {
            this.words = words;
        }
    }

    /** @param sentTwice the producer sends it again under the same key, as after a timeout of its own */
    record Payment(String key, String merchant, long amount, String currency, String method, Scenario scenario, boolean sentTwice) {}

    private static final List<String> CURRENCIES = List.of("EUR", "EUR", "EUR", "USD", "GBP", "JPY");
    /** Only one PSP takes this brand. */
    private static final String OF_ONE_PSP = "pm_card_amex";
    private static final List<String> CARDS = List.of("pm_card_visa", "pm_card_mastercard", OF_ONE_PSP);
    private static final List<String> DECLINING = List.of("pm_card_visa_chargeDeclined", "pm_card_visa_chargeDeclinedInsufficientFunds",
            "pm_card_visa_chargeDeclinedLostCard", "pm_card_chargeDeclinedExpiredCard");
    /** How many of a hundred payments, and at least one of each; the others are charged. */
    private static final Map<Scenario, Integer> PER_CENT = new EnumMap<>(Map.of(
            Scenario.DECLINED, 8, Scenario.FAILS_ONCE, 4, Scenario.FAILS_TWICE, 3, Scenario.FAILS_ALWAYS, 3, Scenario.ANSWER_LOST, 2));
    private static final int SENT_TWICE_PER_CENT = 10;

    static DemoPlan of(int payments, long seed) {
        var random = new Random(seed);
        var scenarios = new ArrayList<Scenario>();
        PER_CENT.forEach(
                (scenario, share) -> scenarios.addAll(Collections.nCopies(Math.max(1, payments * share / 100), scenario)));
        while (scenarios.size() < payments) {
            scenarios.add(Scenario.CHARGED);
        }
        Collections.shuffle(scenarios, random);
        var plan = new ArrayList<Payment>();
        for (int i = 0; i < payments; i++) {
            plan.add(payment("demo-%d-%04d".formatted(seed, i + 1), scenarios.get(i), random));
        }
        return new DemoPlan(List.copyOf(plan));
    }

    private static Payment payment(String key, Scenario scenario, Random random) {
        String method = switch (scenario) {
            case DECLINED -> pick(DECLINING, random);
            // Otherwise the other PSP would charge what fails at the first.
            case FAILS_ONCE, FAILS_TWICE, FAILS_ALWAYS, ANSWER_LOST -> OF_ONE_PSP;
            case CHARGED -> pick(CARDS, random);
        };
        return new Payment(key, random.nextInt(4) == 0 ? "globex" : "acme", 500 + random.nextInt(19_500), pick(CURRENCIES, random),
                method, scenario, random.nextInt(100) < SENT_TWICE_PER_CENT);
    }

    private static <T> T pick(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    /** Those that are sent at once. */
    List<Payment> rush() {
        var steady = new HashSet<>(steady());
        return payments.stream().filter(payment -> !steady.contains(payment)).toList();
    }

    /** Those that are sent one by one while others fail: where each payment at a PSP fails it is an outage, and they wait. */
    List<Payment> steady() {
        List<Payment> good = payments.stream().filter(payment -> payment.scenario == Scenario.CHARGED && payment.method.equals(OF_ONE_PSP))
                .toList();
        return good.subList(good.size() / 2, good.size());
    }

    long count(Scenario scenario) {
        return payments.stream().filter(payment -> payment.scenario == scenario).count();
    }
}
