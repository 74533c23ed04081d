// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.AuditSealer;
import io.chargeonce.dlq.Login;
import io.chargeonce.dlq.QueueRows;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class AuditTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void one_call_is_one_line_with_who_why_and_how_much_money() {
        rows.dead(3);
        rows.dead("acme", 5000, "JPY", "m");
        String kept = rows.dead();
        call("merge", kept, "--yes", "--wait", "0");
        call("purge", "--all", "--reason", "a load test", "--yes");
        Called audit = call("audit", "--action", "dlq.purged", "--json");
        assertThat(audit.json()).hasSize(1).first().satisfies(line -> {
            assertThat(line.path("actor").asString()).isEqualTo(QueueRows.OPERATOR);
            assertThat(line.path("reason").asString()).isEqualTo("a load test");
            assertThat(line.path("count").asInt()).isEqualTo(4);
            assertThat(line.path("money").path("JPY").asLong()).isEqualTo(5000);
            assertThat(line.path("money").path("EUR").asLong()).isEqualTo(3 * 1299);
        });
        assertThat(call("audit").out()).contains("dlq.merged", "dlq.purged", "dlq.run.planned", "38.97 EUR", "5000 JPY", "a load test");
        assertThat(call("audit", "--by", "zoe").out()).contains("No one did anything");
        assertThat(call("audit", "--newer-than", "soon").exit()).isEqualTo(2);
    }

    @Test
    void a_line_says_what_it_was_done_to_and_how_many_and_how_much_money_that_was() throws IOException {
        List<String> dead = rows.dead(3);
        call("merge", "--all", "--plan");
        call("pause", "psp", "stripe", "--reason", "charges fail", "--yes");
        Called.of(() -> rows.openAs("chargeonce_dlq_unmask"), "show", dead.getFirst(), "--unmasked", "--reason", "ticket 1");
        Path file = Files.createTempDirectory("audit").resolve("dead.ndjson");
        Called.of(() -> rows.openAs("chargeonce_dlq_unmask"), "export", file.toString(), "--unmasked", "--reason", "ticket 2");
        assertThat(call("audit").out()).contains("psp stripe: charges fail");
        assertThat(call("audit", "--json").json()).extracting(line -> "%s %s %d %s".formatted(line.path("action").asString(),
                line.path("of").asString("-"), line.path("count").asInt(), line.path("money"))).containsExactly(
                        "dlq.run.planned - 3 {\"EUR\":3897}", "dlq.paused psp stripe 1 {}",
                        "dlq.unmasked " + dead.getFirst() + " 1 {}", "dlq.unmasked - 3 {}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"purge --all --yes --reason", "merge --all --yes --reason", "merge --resume run_x --reason",
        "restore psn_x --yes --reason", "edit psn_x --reason",
        "verify --repair --reason", "import x --reason", "settle pay_x --not-charged --yes --evidence"})
    void a_card_number_in_a_reason_is_refused_for_it_would_stay_for_ever(String command) {
        Called refused =
                call(Stream.concat(Stream.of(command.split(" ")), Stream.of("the card is 4111.1111.1111.1111")).toArray(String[]::new));
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("what can be a card number").doesNotContain("1111");
    }

    @ParameterizedTest
    @ValueSource(strings = {"purge --all --yes --reason", "merge --all --yes --reason", "merge --resume run_x --reason",
        "restore psn_x --yes --reason", "edit psn_x --reason", "waiting --all --stop --yes --reason", "waiting --all --now --yes --reason",
        "pause psp stripe --yes --reason", "show psn_x --unmasked --reason", "purge --resume run_x --reason",
        "verify --repair --reason", "import x --reason", "settle pay_x --not-charged --yes --evidence"})
    void a_reason_that_says_nothing_is_refused_for_it_would_stay_for_ever(String command) {
        for (String nothing : List.of("…", "...", " ", "-")) {
            Called refused = call(Stream.concat(Stream.of(command.split(" ")), Stream.of(nothing)).toArray(String[]::new));
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("is '" + nothing + "', which is no reason: replace it with why");
        }
    }

    @Test
    void a_record_that_was_changed_or_removed_is_found_and_the_rest_still_agrees() {
        assertThat(call("audit", "--verify", "--table-only").out()).startsWith("Nothing is sealed yet.\n");
        List<String> dead = rows.dead(2);
        call("purge", "--all", "--reason", "r", "--yes");
        seal();
        Called verify = call("audit", "--verify", "--table-only");
        assertThat(verify.exit()).as(verify.out()).isZero();
        assertThat(verify.out()).contains(" records in 1 seal, up to seal 1 of ", "Each is as it was written.",
                "1 seal was made without a key: the owner of the database could rewrite", "The copies in Kafka were not compared.");
        call("restore", dead.get(0), "--reason", "r", "--yes");
        assertThat(call("audit", "--verify", "--table-only").out()).contains("Not sealed yet: 3 records, the oldest for ");
        seal();
        rows.text("UPDATE audit_record SET reason = 'another' WHERE action = 'dlq.purged' AND resource_id = '" + dead.get(0)
                + "' RETURNING 1");
        rows.text("DELETE FROM audit_record WHERE action = 'dlq.restored' RETURNING 1");
        verify = call("audit", "--verify", "--table-only");
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains("seal 1  one of the ", "seal 2  it sealed 3 records between ",
                "and there are 2 now", "2 differences. ",
                "The newest seal does not hold.");
        JsonNode rest = call("audit", "--verify", "--table-only", "--after-seal", "1", "--json").json().getLast();
        assertThat(rest.path("holds").asBoolean(true)).isFalse();
        assertThat(rest.path("seals").asInt()).isOne();
        assertThat(rest.path("last_seal").asInt()).isEqualTo(2);
        assertThat(call("audit", "--verify", "--by", "me").exit()).isEqualTo(2);
        assertThat(call("audit", "--after-seal", "1").exit()).isEqualTo(2);
        assertThat(call("audit", "--verify", "--newer-than", "2d", "--after-seal", "1").err()).contains("only one of --newer-than and");
        assertThat(call("audit", "--verify", "--after-seal", "x").exit()).isEqualTo(2);
    }

    @Test
    void what_a_seal_says_was_forgotten_is_told_and_is_no_difference() {
        rows.dead();
        seal();
        rows.text("DELETE FROM audit_record RETURNING 1");
        rows.dead();
        seal();
        assertThat(call("audit", "--verify", "--table-only").exit()).isEqualTo(1);
        rows.text("UPDATE audit_seal SET forgotten_to = from_id - 1 WHERE seal = 2 RETURNING 1");
        rows.text("UPDATE audit_seal SET mark = " + PLAIN_MARK + " WHERE seal = 2 RETURNING 1");
        Called verify = call("audit", "--verify", "--table-only");
        assertThat(verify.exit()).as(verify.out()).isZero();
        assertThat(verify.out()).contains("Records up to ", " are forgotten, as seal 2 of ", "Each is as it was written.");
        JsonNode json = call("audit", "--verify", "--table-only", "--json").json().getLast();
        assertThat(json.path("forgotten_to").asString()).isEqualTo(rows.text("SELECT to_id FROM audit_seal WHERE seal = 1"));
        assertThat(json.path("seals").asInt()).isEqualTo(2);
    }

    /** As a seal without a key makes it. */
    private static final String PLAIN_MARK = """
            (SELECT sha256(int2send(23::int2) || 'chargeonce audit seal 1' || int8send(seal) || int8send(from_id) || int8send(to_id) || \
            int8send(records)
                           || int2send(64::int2) || encode(rows_sha256, 'hex')::bytea || int2send(64::int2) || encode(previous, \
            'hex')::bytea
                           || int8send(forgotten_to) || int2send(0::int2) || int2send(length(at)::int2) || at::bytea)
               FROM (SELECT (sealed_at AT TIME ZONE 'UTC')::text AS at) AS utc)""";

    @Test
    void an_odd_record_does_not_hide_the_others() {
        String id = rows.dead();
        call("purge", id, "--reason", "a load test", "--yes");
        for (String odd : List.of("'\"\\u0000\"'", "'{\"run\": \"\\u0000\", \"amount\": 1}'", "'{\"why\": \"\\ud800\"}'", "'[1, 2]'",
                "NULL",
                "'{\"amount\": \"many\", \"currency\": \"Taler\", \"revision\": \"x\"}'",
                "'{\"amount\": 1e400, \"currency\": {\"a\": 1}, \"verdict\": []}'")) {
            rows.text(
                    "INSERT INTO audit_record (actor, action, resource_type, resource_id, data) VALUES (E'\\u202e\\u0007', 'dlq.purged', "
                            + "'operation', '"
                            + id
                            + "', " + odd + ") RETURNING 1");
        }
        rows.text("UPDATE audit_record SET at = 'infinity' WHERE data IS NULL RETURNING 1");
        for (String look : List.of("audit", "audit --json", "why " + id, "show " + id, "show --json " + id, "list --purged")) {
            Called looked = call(look.split(" "));
            assertThat(looked.exit()).as("%s: %s", look, looked.err()).isZero();
        }
        assertThat(call("audit").out()).contains("a load test", "12.99 EUR");
        assertThat(call("audit", "--json").json().getFirst().path("claim").asString()).isEqualTo(Login.name());
        Called restored = call("restore", "--run",
                rows.text("SELECT data ->> 'run' FROM audit_record WHERE reason = 'a load test' AND action = 'dlq.purged'"),
                "--reason", "r", "--yes");
        assertThat(restored.exit()).as(restored.err()).isZero();
    }

    private static void seal() {
        seal(new SimpleMeterRegistry());
    }

    private static void seal(SimpleMeterRegistry meters) {
        new AuditSealer(rows.owner(), rows.queue().topics(), new AuditSealer.Settings(AuditKeys.NONE, Duration.ZERO), () -> {}, meters)
                .runOnce();
    }

    @Test
    void what_people_did_is_counted_once_it_is_sealed_and_an_unknown_action_makes_no_meter_of_its_own() {
        seal();
        rows.dead();
        rows.dead();
        call("purge", "--all", "--reason", "a load test", "--yes");
        rows.text("SELECT append_audit(NULL, NULL, ARRAY['dlq.made_up'], ARRAY['x'], ARRAY['x'], NULL, NULL, NULL)::text");
        var meters = new SimpleMeterRegistry();
        seal(meters);
        assertThat(meters.counter("chargeonce.audit.deeds", "action", "dlq.purged").count()).isEqualTo(2);
        assertThat(meters.counter("chargeonce.audit.deeds", "action", "other").count()).isEqualTo(1);
        assertThat(meters.find("chargeonce.audit.deeds").tag("action", "dlq.made_up").counter()).isNull();
    }

    @Test
    void the_command_line_cannot_choose_the_actor() {
        rows.dead();
        assertThat(call("purge", "--all", "--reason", "r", "--actor", "another", "--yes").exit()).isEqualTo(2);
        String said = System.setProperty("user.name", "another");
        try {
            call("purge", "--all", "--reason", "r", "--yes");
        } finally {
            System.setProperty("user.name", said);
        }
        assertThat(rows.text("SELECT DISTINCT actor FROM audit_record WHERE action = 'dlq.purged'")).isEqualTo(QueueRows.OPERATOR);
    }

    @Test
    void the_completion_script_knows_every_command() {
        assertThat(call("completion").out()).contains("merge", "restore", "--canary", "runs");
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
