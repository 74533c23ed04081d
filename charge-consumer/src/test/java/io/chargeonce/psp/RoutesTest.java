// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutesTest {

    @Test
    void rules_are_read_as_they_are_written() {
        Routes routes =
                Routes.parse("currency=EUR|CHF method=pm_ amount>=100 amount<=900 -> adyen:3, stripe:1; merchant=acme -> stripe,adyen;");
        RouteRule first = routes.rules().getFirst();
        assertThat(first.currencies()).containsExactlyInAnyOrder("EUR", "CHF");
        assertThat(first.methods()).containsExactly("pm_");
        assertThat(first.least()).isEqualTo(100);
        assertThat(first.most()).isEqualTo(900);
        assertThat(first.psps()).containsExactly(new RouteRule.Weighted("adyen", 3), new RouteRule.Weighted("stripe", 1));
        assertThat(routes.rules().getLast().merchants()).containsExactly("acme");
        assertThat(routes.psps()).containsExactlyInAnyOrder("adyen", "stripe");
    }

    @ParameterizedTest
    @ValueSource(strings = {"currency=EUR", "colour=red -> stripe", "-> stripe:0", "-> stripe:x", "amount>=5 amount<=1 -> stripe"})
    void what_is_no_rule_is_refused(String text) {
        assertThatThrownBy(() -> Routes.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
