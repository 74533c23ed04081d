package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.Login;
import io.chargeonce.dlq.QueueRows;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AuditTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void one_call_is_one_line_with_who_why_and_how_much_money() {
        rows.dead(3);
        rows.dead("acme", 5000, "JPY", "m");
        String kept = rows.dead();
        call("merge", kept, "--yes");
        call("purge", "--all", "--reason", "a load test", "--yes");
        Called audit = call("audit", "--action", "dlq.purged", "--json");
        assertThat(audit.json()).hasSize(1).first().satisfies(line -> {
            assertThat(line.path("actor").asString()).isEqualTo(Login.name());
            assertThat(line.path("reason").asString()).isEqualTo("a load test");
            assertThat(line.path("count").asInt()).isEqualTo(4);
            assertThat(line.path("money").path("JPY").asLong()).isEqualTo(5000);
            assertThat(line.path("money").path("EUR").asLong()).isEqualTo(3 * 1299);
        });
        assertThat(call("audit").out()).contains("dlq.merged", "dlq.purged", "dlq.run.planned", "38.97 EUR", "5000 JPY", "a load test");
        assertThat(call("audit", "--by", "nobody").out()).contains("Nobody did anything");
        assertThat(call("audit", "--newer-than", "soon").exit()).isEqualTo(2);
    }

    @Test
    void a_record_that_somebody_changed_or_took_away_is_found() {
        List<String> dead = rows.dead(2);
        call("purge", "--all", "--reason", "r", "--yes");
        assertThat(call("audit", "--verify")).isEqualTo(new Called(0, "Every audit record follows from the one before it.\n", ""));
        rows.text("UPDATE audit_record SET reason = 'another' WHERE action = 'dlq.purged' AND resource_id = '" + dead.get(0) + "' RETURNING 1");
        rows.text("DELETE FROM audit_record WHERE audit_id = (SELECT min(audit_id) FROM audit_record WHERE resource_id = '" + dead.get(1)
                + "') RETURNING 1");
        Called verify = call("audit", "--verify");
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains(dead.get(0) + "  record ", dead.get(1) + "  record ", "compare these with a backup");
        assertThat(call("audit", "--verify", "--by", "me").exit()).isEqualTo(2);
    }

    @Test
    void nobody_can_say_on_the_command_line_who_they_are() {
        rows.dead();
        assertThat(call("purge", "--all", "--reason", "r", "--actor", "somebody else", "--yes").exit()).isEqualTo(2);
        String said = System.setProperty("user.name", "somebody else");
        try {
            call("purge", "--all", "--reason", "r", "--yes");
        } finally {
            System.setProperty("user.name", said);
        }
        assertThat(rows.text("SELECT DISTINCT actor FROM audit_record WHERE action = 'dlq.purged'")).isEqualTo(Login.name()).isNotEqualTo("somebody else");
    }

    @Test
    void the_completion_script_knows_every_command() {
        assertThat(call("completion").out()).contains("merge", "restore", "--canary", "runs");
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
