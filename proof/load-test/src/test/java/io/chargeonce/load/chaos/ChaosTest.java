// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import io.chargeonce.load.chaos.woven.CrashPoint;
import io.chargeonce.load.plant.Plant;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A small budget of the campaigns that {@code load chaos} runs by the dozen. A campaign has a dozen processes and judges how late they
 * are, so no other test runs beside it.
 */
@Tag("alone")
class ChaosTest {

    private final StringWriter told = new StringWriter();
    private final Chaos chaos = new Chaos(new PrintWriter(told), Optional.empty(), 1);

    @Tag("proof")
    @Test
    void the_books_balance_after_kills_and_a_sick_psp_and_a_process_died_at_an_exact_place() {
        List<FaultKind> kinds = List.of(FaultKind.KILL, FaultKind.PSP, FaultKind.NETWORK);
        Chaos.Result result = chaos.run(7, 1, kinds, Optional.empty(), Map.of());
        assertThat(result.sound()).as(result.bugs() + result.lastVerdict().report()).isTrue();
        assertThat(result.lastVerdict().count("succeeded")).isPositive();
        assertThat(result.coverage().missing(kinds)).filteredOn(missing -> missing.startsWith("crash point"))
                .hasSizeLessThan(CrashPoint.values().length);
        assertThat(told.toString()).contains("1/1 seed 7001: balanced");
    }

    @Tag("proof")
    @Test
    void the_books_of_both_rails_balance_after_faults_of_the_bank_and_of_the_service_that_sends_files() {
        List<FaultKind> kinds = List.of(FaultKind.BANK, FaultKind.KILL);
        Chaos.Result result = chaos.run(1, 3, kinds, Optional.empty(), Map.of());
        assertThat(result.sound()).as(result.bugs() + result.lastVerdict().report() + told).isTrue();
        assertThat(result.coverage().toString()).contains("bank: bank ");
    }

    @Tag("proof")
    @Test
    void the_books_balance_while_customers_dispute_payments_that_people_refund() {
        List<FaultKind> kinds = List.of(FaultKind.DISPUTES, FaultKind.KILL);
        Chaos.Result result = chaos.run(1, 3, kinds, Optional.empty(), Map.of());
        assertThat(result.sound()).as(result.bugs() + result.lastVerdict().report() + told).isTrue();
        assertThat(result.coverage().toString()).contains("disputes: payments disputed");
    }

    @Test
    void a_planted_double_charge_is_caught_with_the_payments_whole_story() {
        Chaos.Result result = chaos.run(1, 3, List.of(FaultKind.PSP), Optional.of(Plant.TIMEOUT_AS_FAILURE), Map.of());
        assertThat(result.lastVerdict().violations()).extracting(Violation::invariant).contains(Invariant.ONE_CAPTURE);
        assertThat(result.reached()).containsExactlyElementsOf(Plant.TIMEOUT_AS_FAILURE.places());
        String twice = result.lastVerdict().violations().stream().filter(violation -> violation.invariant() == Invariant.ONE_CAPTURE)
                .findFirst().flatMap(Violation::subject).orElseThrow();
        assertThat(result.lastVerdict().timelines().get(twice)).extracting(event -> event.source().replaceAll("[ /].*", ""))
                .contains("operation", "attempt", "audit", "payments.requests", "ledger");
    }
}
