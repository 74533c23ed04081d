// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.topic.Agreement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
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
        assertThat(call("verify", "--table-only", "--all")).isEqualTo(new Called(0, "The queue and the payments agree.\n", ""));
        assertThat(call("verify", "--table-only")).isEqualTo(new Called(0,
                "The queue and the payments of the last 7d agree. Older ones: chargeonce dlq verify --all\n", ""));
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

    @Test
    void an_old_payment_is_looked_at_if_it_came_into_the_queue_of_late_or_if_all_are() {
        String old = rows.dead();
        String moved = rows.dead();
        rows.text("DELETE FROM dead_letter RETURNING 1");
        rows.rewrite("""
                SET session_replication_role = replica;
                UPDATE operation SET accepted_at = now() - interval '8 days';
                UPDATE audit_record SET at = now() - interval '8 days' WHERE resource_id = '%s';
                RESET session_replication_role
                """.formatted(old));
        Called verify = call("verify", "--table-only");
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains(moved + "  its payment is dead, but the queue says nothing of it").doesNotContain(old);
        assertThat(call("verify", "--table-only", "--newer-than", "9d").out()).contains(old);
        Called all = call("verify", "--table-only", "--all");
        assertThat(all.exit()).isEqualTo(1);
        assertThat(all.out()).contains(old, moved, "2 differences");
        assertThat(call("verify", "--all", "--newer-than", "9d").exit()).isEqualTo(2);
    }

    @Test
    void every_payment_is_read_if_numbers_are_of_another_server_and_an_answer_says_of_which_time_it_is() {
        String lost = rows.dead();
        rows.text("DELETE FROM dead_letter RETURNING 1");
        rows.rewrite("""
                SET session_replication_role = replica;
                UPDATE operation SET accepted_at = now() - interval '8 days', accepted_xid = '4000000000000';
                UPDATE audit_record SET at = now() - interval '8 days';
                RESET session_replication_role
                """);
        Called verify = call("verify", "--table-only");
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.err()).contains("the database was restored from another server's dump");
        assertThat(verify.out()).contains(lost + "  its payment is dead, but the queue says nothing of it");
        rows.clear();
        rows.dead(3);
        assertThat(call("verify", "--table-only", "--newer-than", "2h", "--json").json().getLast().path("newer_than_seconds").asLong())
                .isEqualTo(7200);
        var read = new AtomicLong();
        Agreement.differences(rows.queue(), Optional.of(Duration.ofHours(2)), 10, read::addAndGet);
        assertThat(read).hasValue(3);
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
