// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people pause, force and resume in the console. */
class HoldActionsTest {

    private static final String PSP = """
            INSERT INTO psp_health (psp, process, good_at, open, failed_in_a_row, failed_payments, told_at, unwell_at)
            VALUES ('stripe', gen_random_uuid(), now(), false, 0, '', now(), NULL) RETURNING psp
            """;

    private static ConsoleWorld world;
    private static Browser operator;

    @BeforeAll
    static void start() {
        world = ConsoleWorld.start();
        operator = world.signIn(ConsoleWorld.OPERATOR);
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @BeforeEach
    void nothingIsHeld() {
        world.rows.clear();
        world.rows.text("WITH gone AS (DELETE FROM hold) SELECT 1");
        world.rows.text(PSP);
    }

    private static Browser.Answer hold(Browser browser, String kind, String name, String action, Map<String, Object> more) {
        var body = new java.util.HashMap<String, Object>(Map.of("kind", kind, "name", name, "action", action));
        body.putAll(more);
        return browser.post("/api/holds", body);
    }

    @Test
    void a_psp_is_paused_shown_audited_and_resumed() {
        Browser.Answer made = hold(operator, "psp", "stripe", "pause", Map.of("reason", "charges fail"));
        assertThat(made.status()).as(made.text()).isEqualTo(200);
        assertThat(operator.get("/api/holds").textAt("/items/0/by")).isEqualTo("operator");
        assertThat(operator.get("/api/psps").textAt("/items/0/state")).isEqualTo("held");
        assertThat(operator.get("/api/overview").textAt("/advice/0/text")).contains("PSP stripe is paused by operator", "charges fail");
        assertThat(world.rows
                .text("SELECT string_agg(actor || '/' || origin || '/' || reason, ' ') FROM audit_record WHERE reason = 'charges fail'"))
                .isEqualTo("operator/console at 127.0.0.1/charges fail");

        Browser.Answer resumed =
                operator.send("DELETE", "/api/holds/psp/stripe", Optional.of(Map.of("reason", "they work again")), Map.of());

        assertThat(resumed.status()).as(resumed.text()).isEqualTo(200);
        assertThat(operator.get("/api/holds").at("/items")).isEmpty();
        assertThat(operator.send("DELETE", "/api/holds/psp/stripe", Optional.of(Map.of("reason", "again")), Map.of()).status())
                .isEqualTo(409);
    }

    @Test
    void what_a_person_has_paused_is_told_before_all_else_with_what_waits_for_it_and_is_no_alarm() {
        world.rows.retry(world.rows.accepted("acme"), 1, "the PSP answered 500");
        world.rows.text(
                "WITH late AS (UPDATE operation_state SET not_before = now() - interval '5 minutes' RETURNING 1) "
                        + "SELECT count(*) FROM late");
        assertThat(operator.get("/api/overview").textAt("/advice/0/text")).contains("late in retry-1");
        world.rows.dead("acme", 1299, "EUR", "the PSP answered 500");
        assertThat(hold(operator, "tier", "1", "pause", Map.of("reason", "wrong routes")).status()).isEqualTo(200);
        assertThat(hold(operator, "psp", "stripe", "pause", Map.of("reason", "charges fail")).status()).isEqualTo(200);

        Browser.Answer overview = operator.get("/api/overview");

        assertThat(overview.textAt("/verdict")).isEqualTo("stuck");
        assertThat(overview.at("/advice").valueStream().map(advice -> advice.path("severity").asString()))
                .containsExactly("held", "held", "warning");
        assertThat(overview.textAt("/advice/0/text") + overview.textAt("/advice/1/text")).contains("PSP stripe is paused by operator",
                "Tier retry-1 is paused by operator", "wrong routes. 1 payment with ", "waits for it.").doesNotContain("late");
    }

    @Test
    void a_force_ends_by_the_clock_of_the_database_within_a_day() {
        assertThat(hold(operator, "psp", "stripe", "force", Map.of("reason", "a probe")).textAt("/detail")).contains("minutes is missing");
        assertThat(hold(operator, "psp", "stripe", "force", Map.of("reason", "a probe", "minutes", 1441)).textAt("/detail"))
                .contains("from 1 to 1440");
        Browser.Answer made = hold(operator, "psp", "stripe", "force", Map.of("reason", "a probe", "minutes", 60));
        assertThat(made.status()).as(made.text()).isEqualTo(200);
        assertThat(Duration.between(Instant.parse(made.textAt("/since")), Instant.parse(made.textAt("/until"))))
                .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
        Browser.Answer psps = operator.get("/api/psps");
        assertThat(psps.textAt("/items/0/state")).isEqualTo("forced");
        assertThat(psps.textAt("/items/0/since")).as("not since its last trouble").isEqualTo(made.textAt("/since"));
    }

    @Test
    void a_tier_is_paused_by_its_number_and_what_it_concerns_is_told_before() {
        Browser.Answer effect = operator.get("/api/holds/tier/1?minutes=60");
        assertThat(effect.status()).as(effect.text()).isEqualTo(200);
        assertThat(effect.at("/waiting/count").asInt()).isZero();
        assertThat(operator.get("/api/holds").at("/items")).isEmpty();
        assertThat(hold(operator, "tier", "1", "pause", Map.of("reason", "wrong routes", "minutes", 60)).status()).isEqualTo(200);
        assertThat(operator.get("/api/overview").at("/tiers/0/held").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"psp,paypal,pause,does not exist", "tier,99,pause,does not exist", "merchant,acme,force,Only a PSP",
        "city,x,pause,kind must be",
        "psp,stripe,stop,action must be"})
    void what_is_no_hold_is_refused_in_words(String kind, String name, String action, String words) {
        world.rows.dead(1);
        Browser.Answer refused = hold(operator, kind, name, action, Map.of("reason", "r", "minutes", 5));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.textAt("/detail")).contains(words);
        assertThat(operator.get("/api/holds").at("/items")).isEmpty();
    }

    @Test
    void a_hold_needs_a_reason_of_at_most_five_hundred_characters() {
        for (Map<String, Object> reason : List.<Map<String, Object>>of(Map.of(), Map.of("reason", " "),
                Map.of("reason", "x".repeat(501)))) {
            assertThat(hold(operator, "psp", "stripe", "pause", reason).status()).isEqualTo(400);
        }
        assertThat(operator.get("/api/holds").at("/items")).isEmpty();
    }

    @Test
    void a_reader_looks_and_holds_nothing() {
        Browser reader = world.signIn(ConsoleWorld.READER);
        assertThat(reader.get("/api/holds").status()).isEqualTo(200);
        assertThat(reader.get("/api/holds/psp/stripe").status()).isEqualTo(200);
        assertThat(hold(reader, "psp", "stripe", "pause", Map.of("reason", "r")).status()).isEqualTo(403);
        assertThat(operator.get("/api/holds").at("/items")).isEmpty();
    }
}
