// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import io.chargeonce.load.chaos.WitnessedConsole.Word;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** When the witness agrees with the checker. */
class WitnessedConsoleTest {

    @Test
    void it_balances_only_when_it_has_read_everything_and_nothing_is_missing_or_overdue() {
        assertThat(word(1, 0, 0, 3)).isEqualTo(Word.BALANCED);
        assertThat(word(0, 0, 0, 3)).isEqualTo(Word.UNKNOWN);
        assertThat(word(1, 1, 0, 3)).isEqualTo(Word.DIFFERENT);
        assertThat(word(1, 0, 1, 3)).isEqualTo(Word.DIFFERENT);
        assertThat(WitnessedConsole.read("", OptionalLong.empty()).word()).isEqualTo(Word.UNKNOWN);
    }

    @Test
    void what_is_open_beside_the_dead_letters_contradicts_a_balance() {
        assertThat(word(1, 0, 0, 4)).isEqualTo(Word.DIFFERENT);
        assertThat(word(1, 0, 0, 2)).isEqualTo(Word.DIFFERENT);
    }

    @Test
    void it_must_see_what_is_lost_on_its_way_and_cannot_see_what_only_a_psp_knows() {
        assertThat(sees(Invariant.OUTCOME_AGREES, "is succeeded, and has no outcome event")).isTrue();
        assertThat(sees(Invariant.ALIVE_AFTER_HEAL, "is under way")).isTrue();
        assertThat(sees(Invariant.ONE_CAPTURE, "was captured twice")).isFalse();
    }

    private static Word word(int live, int difference, int overdue, int open) {
        return WitnessedConsole.read("""
                # HELP chargeonce_witness_live 1 while the witness has read everything up to the present
                chargeonce_witness_live{application="console"} %d.0
                chargeonce_witness_difference{currency="",stage="accepted"} 0.0
                chargeonce_witness_difference{currency="EUR",stage="retry-1"} %d.0
                chargeonce_witness_overdue{currency="EUR"} %d.0
                chargeonce_witness_overdue_oldest_seconds 7.0
                chargeonce_witness_open %d.0
                """.formatted(live, difference, overdue, open), OptionalLong.of(3)).word();
    }

    private static boolean sees(Invariant invariant, String found) {
        return WitnessedConsole.sees(new CheckVerdict(CheckVerdict.Kind.BROKEN, Map.of(), Optional.empty(), Optional.empty(), Map.of(),
                List.of(new Violation(invariant, Optional.of("pay_1"), found)), Map.of()));
    }
}
