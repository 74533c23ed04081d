// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MixTest {

    @Test
    void shares_are_per_cent_and_what_is_not_named_is_nothing() {
        assertThat(Mix.parse("declined=8,fails_once=0.5,repeats=5"))
                .isEqualTo(new Mix(Map.of(PlannedOutcome.DECLINED, 80, PlannedOutcome.FAILS_ONCE, 5), 50, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void a_wrong_mix_is_refused_and_says_what_is_wrong() {
        assertThatThrownBy(() -> Mix.parse("declned=8")).hasMessageContaining("declned").hasMessageContaining("fails_once");
        assertThatThrownBy(() -> Mix.parse("declined=80,fails_once=30")).hasMessageContaining("100 %");
        assertThatThrownBy(() -> Mix.parse("declined")).hasMessageContaining("NAME=PER_CENT");
    }

    @Test
    void fates_are_drawn_by_their_shares() {
        var random = new Random(1);
        var mix = Mix.parse("declined=20");
        Map<PlannedOutcome, Long> drawn = IntStream.range(0, 10_000).mapToObj(i -> mix.draw(random))
                .collect(Collectors.groupingBy(outcome -> outcome, Collectors.counting()));
        assertThat(drawn.get(PlannedOutcome.DECLINED)).isBetween(1_800L, 2_200L);
        assertThat(drawn.get(PlannedOutcome.CHARGED)).isEqualTo(10_000 - drawn.get(PlannedOutcome.DECLINED));
    }

    @Test
    void debits_go_by_a_mandate_of_their_merchant_in_euros_and_leave_the_other_purchases_as_they_are() {
        var debits = new Shopping(new Random(3), Mix.parse("declined=20").withDebits(1_000), TrafficMerchant.sandbox(), "k");
        assertThat(IntStream.range(0, 200).mapToObj(i -> debits.next()).toList()).allSatisfy(purchase -> {
            assertThat(purchase.card()).matches("mandate_(well|no-funds)-" + purchase.merchant().name());
            assertThat(purchase.currency()).isEqualTo("EUR");
            assertThat(purchase.asPayment().byBankDebit()).isTrue();
        }).extracting(PlannedPurchase::outcome).containsOnly(PlannedOutcome.CHARGED, PlannedOutcome.DECLINED);
    }

    @Test
    void good_payments_by_stored_methods_are_by_one_of_their_merchants_and_declined_ones_keep_their_card() {
        var stored = new Shopping(new Random(3), Mix.parse("declined=20").withStored(1_000), TrafficMerchant.sandbox(), "k");
        assertThat(IntStream.range(0, 200).mapToObj(i -> stored.next()).toList()).allSatisfy(purchase -> {
            boolean bad = purchase.outcome() == PlannedOutcome.DECLINED;
            assertThat(Wallet.holds(purchase.card())).isNotEqualTo(bad);
            assertThat(bad || Wallet.rows(List.of(purchase.merchant().name())).stream().anyMatch(row -> row.contains(purchase.card())))
                    .isTrue();
        });
    }

    @Test
    void the_same_seed_shops_the_same_and_a_repeat_is_the_same_purchase_under_the_same_key() {
        var first = new Shopping(new Random(3), Mix.parse("repeats=50"), TrafficMerchant.sandbox(), "k");
        var again = new Shopping(new Random(3), Mix.parse("repeats=50"), TrafficMerchant.sandbox(), "k");
        var bought = IntStream.range(0, 200).mapToObj(i -> first.next()).toList();
        assertThat(IntStream.range(0, 200).mapToObj(i -> again.next()).toList()).isEqualTo(bought);
        assertThat(bought.stream().filter(purchase -> !purchase.first())).isNotEmpty()
                .allSatisfy(repeat -> assertThat(bought.stream().filter(PlannedPurchase::first))
                        .anySatisfy(original -> assertThat(original.repeated()).isEqualTo(repeat)));
    }
}
