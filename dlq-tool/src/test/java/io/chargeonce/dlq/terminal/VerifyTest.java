// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.QueueRows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class VerifyTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void queue_and_payments_agree_after_everything_that_commands_do() {
        rows.dead(4);
        rows.charged();
        rows.unresolved();
        rows.deadWithAnOpenAttempt();
        rows.poison(new byte[] {1});
        call("purge", "--standing", "rechargeable", "--reason", "r", "--yes");
        call("restore", "--all", "--reason", "r", "--yes");
        call("purge", "--standing", "poison", "--reason", "r", "--yes");
        call("merge", "--all", "--canary", "0", "--yes", "--wait", "0");
        assertThat(call("verify", "--table-only")).isEqualTo(new Called(0, "The queue and the payments agree.\n", ""));
    }

    @Test
    void each_difference_is_told_and_the_answer_is_no() {
        String listed = rows.dead();
        rows.text("UPDATE operation_state SET state = 'accepted' RETURNING 1");
        String lost = rows.dead();
        rows.text("DELETE FROM dead_letter WHERE dead_letter_id = '" + lost + "' RETURNING 1");
        String other = rows.dead();
        rows.text("UPDATE dead_letter SET amount = 1 WHERE dead_letter_id = '" + other + "' RETURNING 1");
        String stuck = rows.dead();
        rows.text("UPDATE outbox SET refusal = 'too large' WHERE record_key = '" + stuck + "' RETURNING 1");
        Called verify = call("verify", "--table-only");
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains(listed + "  it is listed, but its payment is accepted",
                lost + "  its payment is dead, but the queue says nothing of it", other + "  it is listed with another amount",
                stuck + "  Kafka refuses its record on payments.dlq: too large", "4 differences");
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
