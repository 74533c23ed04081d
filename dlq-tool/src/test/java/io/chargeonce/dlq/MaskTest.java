package io.chargeonce.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MaskTest {

    @Test
    void what_identifies_a_card_or_a_person_is_hidden_and_nothing_else() {
        assertThat(Mask.personal("pm_card_visa, tok_1Nx, card_1NXWPn; card_declined by a.b+c@mail.example.com at 4242 4242 4242 4242"))
                .isEqualTo("************, *******, ***********; card_declined by ********************** at *******************");
        assertThat(Mask.personal("%22x.y@example.com%22 and me@localhost, order-1001 at 12:11:02")).isEqualTo(
                "******************%22 and me@localhost, order-1001 at 12:11:02");
    }

    /** In a quadratic number of steps this would take many minutes. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void a_record_at_the_size_limit_is_masked_in_steps_that_grow_with_its_length() {
        for (String run : new String[] {"x", "1", "card_", "a@", "a@b.", "pm-", "x."}) {
            String hostile = run.repeat(1_000_000 / run.length());
            assertThat(Mask.personal(hostile + " a@example.com")).hasSize(hostile.length() + 14).endsWith(" *************");
        }
    }
}
