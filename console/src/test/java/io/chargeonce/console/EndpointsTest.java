// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.console.witness.OverdueOperation;
import io.chargeonce.console.witness.WitnessProgress;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.story.Export;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What the console tells, over real HTTP and a real Postgres. */
class EndpointsTest {

    private static ConsoleWorld world;
    private static Browser reader;

    @BeforeAll
    static void start() {
        world = ConsoleWorld.start();
        reader = world.signIn(ConsoleWorld.READER);
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @BeforeEach
    void empty() {
        world.rows.clear();
        world.rows.text("DELETE FROM psp_health RETURNING psp");
        world.witness.overdue = List.of();
        world.witness.state = WitnessProgress.State.LIVE;
        world.witness.differsSince = null;
        world.witness.problem = "";
    }

    private static List<String> ids(Browser.Answer answer) {
        return answer.at("/items").valueStream().map(item -> item.path("dead_letter_id").asString()).toList();
    }

    @Test
    void people_share_the_consoles_connections_and_without_one_a_request_is_told_so() {
        try (var console = world.startWithConnections(1)) {
            Browser one = new Browser(console.port()).signIn(ConsoleWorld.READER);
            Browser other = new Browser(console.port()).signIn(ConsoleWorld.OPERATOR);
            assertThat(one.get("/api/dead-letters").status()).isEqualTo(200);
            assertThat(other.get("/api/dead-letters").status()).as("the other's idle connection was closed").isEqualTo(200);
        }
        try (var console = world.startWithConnections(0)) {
            Browser.Answer refused = new Browser(console.port()).trySignIn(ConsoleWorld.READER);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text()).contains("all-connections-in-use", "CHARGEONCE_CONSOLE_DATABASE_CONNECTIONS");
            assertThat(refused.header("retry-after")).isEqualTo("2");
        }
    }

    @Test
    void an_empty_queue_is_quiet_only_while_the_witness_knows_everything() {
        assertThat(reader.get("/api/overview").textAt("/verdict")).isEqualTo("quiet");

        world.witness.state = WitnessProgress.State.REBUILDING;

        Browser.Answer rebuilding = reader.get("/api/overview");
        assertThat(rebuilding.textAt("/verdict")).isEqualTo("unknown");
        assertThat(rebuilding.textAt("/headline")).contains("43 %");
        assertThat(reader.get("/api/conservation").at("/balanced").isNull()).isTrue();
    }

    @Test
    void quiet_is_never_said_while_the_witness_misses_something_or_its_books_differ() {
        world.witness.problem = "it may not read payments.dlq";
        Browser.Answer blind = reader.get("/api/overview");
        assertThat(blind.textAt("/verdict")).isEqualTo("unknown");
        assertThat(blind.textAt("/headline")).contains("does not see everything");
        assertThat(blind.textAt("/advice/0/text")).contains("it may not read payments.dlq");

        world.witness.problem = "";
        world.witness.differsSince = ToldWitness.AT;
        Browser.Answer differs = reader.get("/api/overview");
        assertThat(differs.textAt("/verdict")).isEqualTo("attention");
        assertThat(differs.textAt("/headline"))
                .contains("The books do not balance at requests: 1 record in EUR is neither out nor in flight.");
        world.witness.state = WitnessProgress.State.REBUILDING;
        assertThat(reader.get("/api/overview").textAt("/verdict")).isEqualTo("unknown");
    }

    @Test
    void the_overview_says_how_much_is_stuck_since_when_and_what_to_do() {
        world.rows.dead("acme", 1299, "EUR", "the PSP answered 500");
        world.rows.dead("globex", 500, "EUR", "the PSP answered 500");
        world.rows.unresolved();
        world.rows.poison("no json".getBytes());

        Browser.Answer overview = reader.get("/api/overview");

        assertThat(overview.textAt("/verdict")).isEqualTo("stuck");
        assertThat(overview.at("/stuck/0").toString()).isEqualTo("{\"currency\":\"EUR\",\"amount\":1799,\"count\":2}");
        assertThat(overview.at("/dead/count").asInt()).isEqualTo(4);
        assertThat(overview.at("/unresolved/money/0").toString()).isEqualTo("{\"currency\":\"JPY\",\"amount\":700,\"count\":1}");
        assertThat(overview.textAt("/since")).isEqualTo(overview.textAt("/dead/oldest_at"));
        assertThat(overview.at("/advice").valueStream().map(advice -> advice.path("command").asString()))
                .contains("chargeonce dlq merge --cause psp_unwell", "chargeonce dlq list --standing unresolved");
        assertThat(overview.at("/tiers").valueStream().map(tier -> tier.path("topic").asString()))
                .containsExactly("payments.retry-1", "payments.retry-2");
        assertThat(overview.textAt("/witness/state")).isEqualTo("live");
    }

    private static void older(String condition) {
        world.rows.text(
                "WITH older AS (UPDATE dead_letter SET died_at = died_at - interval '3 days' WHERE %s RETURNING 1) ".formatted(condition)
                        + "SELECT count(*) FROM older");
    }

    @Test
    void money_is_stuck_since_its_own_age_and_not_since_that_of_an_unreadable_record() {
        world.rows.dead("acme", 1299, "EUR", "the PSP answered 500");
        world.rows.poison("no json".getBytes());
        older("operation_id IS NULL");

        Browser.Answer overview = reader.get("/api/overview");

        assertThat(overview.textAt("/since"))
                .isEqualTo(reader.get("/api/dead-letters?standing=rechargeable").textAt("/items/0/died_at"))
                .isNotEqualTo(overview.textAt("/dead/oldest_at"));
        assertThat(overview.textAt("/headline")).isEqualTo("Money is stuck: 1 dead letter with money is in the queue.");
    }

    @Test
    void records_without_money_are_one_card_however_many_causes_they_have_and_stick_no_money() {
        world.rows.poison("no json".getBytes());
        world.rows.poison("neither".getBytes());
        world.rows
                .text("WITH other AS (UPDATE dead_letter SET cause = 'unknown_payment' WHERE dead_letter_id = (SELECT min(dead_letter_id) "
                        + "FROM dead_letter) RETURNING 1) SELECT count(*) FROM other");

        Browser.Answer overview = reader.get("/api/overview");

        assertThat(
                overview.at("/advice").valueStream().map(advice -> advice.path("text").asString() + " " + advice.path("link").asString()))
                .containsExactly("The pipeline could not read 2 records. Edit what can be mended, and purge the rest. "
                        + "/dead-letters?standing=poison");
        assertThat(overview.textAt("/headline")).isEqualTo("No money is stuck, but 2 unreadable records are in the queue.");
        assertThat(overview.at("/since").isNull()).isTrue();
        assertThat(reader.get("/api/dead-letters?standing=poison").at("/total/count").asInt()).isEqualTo(2);
    }

    @Test
    void what_may_have_been_charged_is_told_of_however_much_money_other_causes_hold() {
        String unresolved = world.rows.unresolved();
        for (int i = 0; i < 6; i++) {
            String id = world.rows.dead("acme", 90_000 + i, "EUR", "the PSP answered 500");
            world.rows.text("WITH other AS (UPDATE dead_letter SET cause = 'cause_%d' WHERE dead_letter_id = '%s' RETURNING 1) "
                    .formatted(i, id) + "SELECT count(*) FROM other");
        }
        assertThat(reader.get("/api/overview").at("/advice").valueStream().map(advice -> advice.path("text").asString()))
                .as(unresolved).anyMatch(text -> text.contains("may have been charged"));
    }

    @Test
    void a_key_that_was_forgotten_long_ago_is_told_of_as_that_and_never_as_one_that_lapses_soon() {
        world.rows.unresolvedAndAsked(true);
        Browser.Answer forgotten = reader.get("/api/overview");
        assertThat(forgotten.textAt("/advice/0/text")).endsWith("The resolver asks the PSP, and 1 key is forgotten already.");
        assertThat(forgotten.textAt("/advice/0/severity")).isEqualTo("warning");

        String lapses = world.rows.unresolved();
        world.rows.text("UPDATE payment_attempt SET key_valid_until = now() + interval '1 hour' WHERE operation_id = '%s' RETURNING 1"
                .formatted(lapses));

        Browser.Answer soon = reader.get("/api/overview");
        assertThat(soon.at("/advice").valueStream().map(advice -> advice.path("text").asString()))
                .anyMatch(text -> text.contains("the PSP forgets the next key within two hours"));
        assertThat(soon.textAt("/advice/0/severity")).isEqualTo("critical");
    }

    @Test
    void a_purged_payment_says_until_when_it_can_be_restored() {
        String id = world.rows.dead();
        assertThat(reader.get("/api/payments/" + id).at("/dead_letters/0").has("restorable_until")).isFalse();
        world.rows.text("WITH purged AS (UPDATE operation_state SET state = 'purged' RETURNING 1) SELECT count(*) FROM purged");
        world.rows.text("WITH purged AS (UPDATE dead_letter SET state = 'purged', changed_at = '2026-11-01T10:00Z' RETURNING 1) "
                + "SELECT count(*) FROM purged");
        assertThat(reader.get("/api/payments/" + id).textAt("/dead_letters/0/restorable_until")).isEqualTo("2026-12-01T10:00:00Z");
    }

    @Test
    void what_was_purged_has_groups_counts_money_and_standings_of_its_own() {
        world.rows.dead("acme", 1299, "EUR", "the PSP answered 500");
        world.rows.dead("globex", 77, "USD", "the PSP answered 500");
        world.rows.text("WITH purged AS (UPDATE operation_state SET state = 'purged' RETURNING 1) SELECT count(*) FROM purged");
        world.rows.text("WITH purged AS (UPDATE dead_letter SET state = 'purged' RETURNING 1) SELECT count(*) FROM purged");
        world.rows.dead("initech", 5_000, "EUR", "the PSP answered 500");

        for (String by : List.of("cause", "psp", "merchant", "currency", "age")) {
            for (JsonNode group : reader.get("/api/dead-letters/groups?state=purged&by=" + by).at("/items")) {
                Browser.Answer shown = reader.get("/api/dead-letters?state=purged&" + group.path("filter").asString());
                assertThat(shown.at("/total/count")).as("%s", group).isEqualTo(group.path("count"));
                assertThat(shown.at("/total/money")).isEqualTo(group.path("money"));
                assertThat(shown.at("/standings")).isEqualTo(group.path("standings"));
            }
        }
        Browser.Answer merchants = reader.get("/api/dead-letters/groups?state=purged&by=merchant");
        assertThat(merchants.at("/items").valueStream().map(group -> group.path("key").asString())).containsExactly("acme", "globex");
        assertThat(merchants.at("/items/0/standings/rechargeable/count").asInt()).isEqualTo(1);
        assertThat(reader.get("/api/dead-letters/groups?by=merchant").at("/items").valueStream()
                .map(group -> group.path("key").asString())).containsExactly("initech");
        assertThat(Instant.parse(reader.get("/api/dead-letters?state=purged").textAt("/items/0/changed_at"))).isNotNull();
    }

    @Test
    void what_the_witness_finds_overdue_is_stuck_and_a_difference_is_never_balanced() {
        world.witness.overdue =
                List.of(new OverdueOperation("pay_1", "pay_1", "acme", 700, "EUR", ToldWitness.AT, "requests", ToldWitness.AT,
                        ToldWitness.AT));
        world.witness.differsSince = ToldWitness.AT;

        assertThat(reader.get("/api/overview").textAt("/verdict")).isEqualTo("stuck");
        assertThat(reader.get("/api/overview").textAt("/advice/0/severity")).isEqualTo("critical");
        assertThat(reader.get("/api/overdue").textAt("/items/0/payment_id")).isEqualTo("pay_1");
        assertThat(reader.get("/api/overdue").at("/money/0/amount").asLong()).isEqualTo(700);
        assertThat(reader.get("/api/conservation").at("/balanced").asBoolean()).isFalse();
        assertThat(reader.get("/api/conservation").textAt("/since")).isEqualTo(ToldWitness.AT.toString());
    }

    @Test
    void rates_latencies_and_stages_have_the_witnesss_names() {
        Browser.Answer rates = reader.get("/api/rates?by=psp&window=1h");
        assertThat(rates.textAt("/items/0/key")).isEqualTo("stripe");
        assertThat(rates.at("/items/0/points/0").toString()).isEqualTo("{\"at\":\"2026-11-23T10:00:00Z\",\"succeeded\":3,\"failed\":1,"
                + "\"money\":[{\"currency\":\"EUR\",\"amount\":400}]}");
        assertThat(rates.textAt("/from")).isEqualTo("2026-11-23T09:00:00Z");
        assertThat(rates.textAt("/until")).isEqualTo("2026-11-23T10:01:00Z");
        assertThat(rates.at("/slice_seconds").asInt()).as("what a gap is").isEqualTo(60);
        assertThat(reader.get("/api/latencies").at("/items/0/p50_ms").asDouble()).isEqualTo(12.5);
        assertThat(reader.get("/api/conservation").at("/balanced").asBoolean()).isTrue();
        assertThat(reader.get("/api/conservation").at("/items/0/in_flight_money").asLong()).isEqualTo(100);
    }

    @Test
    void dead_letters_are_what_list_prints_in_pages_that_miss_and_repeat_none() {
        List<String> all = world.rows.dead(5);
        var seen = new ArrayList<String>();
        Browser.Answer page = reader.get("/api/dead-letters?limit=2");
        JsonNode first = page.at("/items/0");
        assertThat(page.at("/total/count").asInt()).isEqualTo(5);
        assertThat(page.at("/total/money/0").toString()).isEqualTo("{\"currency\":\"EUR\",\"amount\":6495,\"count\":5}");
        for (int pages = 0; pages < 3; pages++) {
            seen.addAll(ids(page));
            String next = page.at("/next").asString("");
            page = next.isEmpty() ? page : reader.get("/api/dead-letters?limit=2&cursor=" + next);
        }
        assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
        var printed = new ArrayList<String>();
        new Export(world.rows.queue(), true).run(DeadLetterFilter.ofIds(List.of(first.path("dead_letter_id").asString())),
                exported -> printed.add(Json.line(Json.exported(exported)).replaceAll("\"age_seconds\":\\d+", "")));
        assertThat(first.toString().replaceAll("\"age_seconds\":\\d+", "")).isEqualTo(printed.getFirst());
    }

    @Test
    void filters_are_the_command_lines_and_what_does_not_exist_is_refused() {
        String large = world.rows.dead("globex", 90_000, "USD", "declined by nobody");
        world.rows.dead("acme", 100, "EUR", "the PSP answered 500");

        assertThat(ids(reader.get("/api/dead-letters?currency=USD&min-amount=1000&merchant=globex"))).containsExactly(large);
        assertThat(ids(reader.get("/api/dead-letters?text=nobody&order=amount"))).containsExactly(large);
        assertThat(ids(reader.get("/api/dead-letters?newer-than=1h&standing=rechargeable"))).hasSize(2);
        assertThat(ids(reader.get("/api/dead-letters?state=purged"))).isEmpty();
        Browser.Answer typo = reader.get("/api/dead-letters?cause=psp_unwel");
        assertThat(typo.status()).isEqualTo(400);
        assertThat(typo.textAt("/detail")).contains("Did you mean psp_unwell?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/dead-letters?nothing=1", "/api/dead-letters?limit=0", "/api/dead-letters?limit=201",
        "/api/dead-letters?order=x", "/api/dead-letters?state=x", "/api/dead-letters?help=1", "/api/dead-letters?since=yesterday",
        "/api/dead-letters?cursor=none", "/api/dead-letters/groups?by=x", "/api/dead-letters?currency=EUR&currency=USD", "/api/find",
        "/api/audit?newer-than=x", "/api/rates?window=2h", "/api/waiting?tier=99", "/api/waiting?cursor=x", "/api/dead-letters?json=1"})
    void what_cannot_be_asked_is_a_problem_that_says_so(String path) {
        Browser.Answer answer = reader.get(path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.textAt("/next")).contains("Nothing was changed");
    }

    @ParameterizedTest
    @CsvSource({"cause, psp_unwell", "psp, stripe", "merchant, acme", "currency, EUR", "age, under 1h"})
    void each_group_names_the_filter_that_shows_exactly_it(String by, String key) {
        world.rows.dead("acme", 1299, "EUR", "the PSP answered 500");
        world.rows.dead("globex", 77, "USD", "the PSP answered 500");
        world.rows.poison("no json".getBytes());

        for (JsonNode group : reader.get("/api/dead-letters/groups?by=" + by).at("/items")) {
            if (!group.path("filter").isNull()) {
                Browser.Answer shown = reader.get("/api/dead-letters?" + group.path("filter").asString());
                assertThat(shown.at("/total/count")).as("%s", group).isEqualTo(group.path("count"));
                assertThat(shown.at("/total/money")).isEqualTo(group.path("money"));
            }
        }
        assertThat(reader.get("/api/dead-letters/groups?by=" + by).at("/items").valueStream().map(group -> group.path("key").asString()))
                .contains(key);
    }

    @Test
    void an_export_is_complete_and_has_the_lines_of_the_command() {
        world.rows.dead(3);
        Browser.Answer export = reader.get("/api/dead-letters/export?merchant=acme");
        assertThat(export.header("content-type")).isEqualTo("application/x-ndjson");
        assertThat(export.text().lines()).hasSize(3).allMatch(line -> line.startsWith("{\"dead_letter_id\":\"pay_"));
    }

    @Test
    void without_masks_only_with_the_right_and_a_reason_and_the_audit_log_knows_first() {
        String id = world.rows.dead("acme", 1299, "EUR", "sent to jane@example.com");
        assertThat(reader.get("/api/dead-letters").text()).doesNotContain("jane@");
        Browser.Answer refused = reader.get("/api/dead-letters?unmasked=ticket%207");
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text()).doesNotContain("jane@");
        Browser unmasker = world.signIn(ConsoleWorld.UNMASKER);
        assertThat(unmasker.get("/api/dead-letters?unmasked=%20").status()).isEqualTo(400);

        assertThat(unmasker.get("/api/dead-letters?unmasked=ticket%207").text()).contains("jane@example.com");
        assertThat(unmasker.get("/api/payments/" + id + "?unmasked=ticket%208").text()).contains("jane@example.com");
        assertThat(unmasker.get("/api/dead-letters/export?unmasked=ticket%209").text()).contains("jane@example.com");

        assertThat(reader.get("/api/audit?action=dlq.unmasked").at("/items").valueStream()
                .map(item -> item.path("actor").asString() + " " + item.path("reason").asString() + " " + item.path("claim").asString()))
                .containsExactly("unmasker ticket 9 console at 127.0.0.1", "unmasker ticket 8 console at 127.0.0.1",
                        "unmasker ticket 7 console at 127.0.0.1");
    }

    @Test
    void a_look_without_masks_at_what_was_purged_is_counted_and_its_filter_holds_no_card() {
        world.rows.dead(2);
        world.rows.text("WITH purged AS (UPDATE operation_state SET state = 'purged' RETURNING 1) SELECT count(*) FROM purged");
        world.rows.text("WITH purged AS (UPDATE dead_letter SET state = 'purged' RETURNING 1) SELECT count(*) FROM purged");
        Browser unmasker = world.signIn(ConsoleWorld.UNMASKER);

        assertThat(unmasker.get("/api/dead-letters?state=purged&unmasked=ticket%207").at("/items").size()).isEqualTo(2);
        assertThat(unmasker.get("/api/dead-letters/export?state=purged&unmasked=ticket%208").text().lines()).hasSize(2);
        for (String filter : List.of("text", "key", "reference")) {
            assertThat(unmasker.get("/api/dead-letters?unmasked=x&" + filter + "=4111111111111111").textAt("/detail"))
                    .startsWith(filter + " holds what can be a card number");
        }

        assertThat(
                world.rows.text("SELECT string_agg(audit_detail(data, 'count') || ' ' || reason, ', ' ORDER BY audit_id) FROM audit_record "
                        + "WHERE action = 'dlq.unmasked'"))
                .isEqualTo("2 ticket 7, 2 ticket 8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/waiting?tier", "/api/dead-letters?cause", "/api/dead-letters?--version", "/api/audit?by&run",
        "/api/dead-letters?text=%00", "/api/find?q=%00"})
    void a_parameter_without_a_value_or_with_a_strange_one_is_no_bug(String path) {
        assertThat(reader.get(path).status()).isIn(200, 400);
    }

    @Test
    void a_payment_is_found_by_its_names_and_told_as_a_whole() {
        String id = world.rows.dead();
        String key = world.rows.text("SELECT idempotency_key FROM operation");
        assertThat(reader.get("/api/find?q=" + key).textAt("/items/0/matched")).isEqualTo("idempotency_key");
        assertThat(reader.get("/api/find?q=" + id).textAt("/items/0/matched")).isEqualTo("payment_id");
        assertThat(reader.get("/api/find?q=" + id).at("/most").asInt()).as("with so many, there may be more").isEqualTo(20);
        assertThat(reader.get("/api/find?q=nothing-like-it").at("/items").size()).isZero();
        String poison = world.rows.poison("no json".getBytes());
        assertThat(reader.get("/api/find?q=" + poison).textAt("/items/0/kind")).isEqualTo("poison");

        Browser.Answer payment = reader.get("/api/payments/" + id);

        assertThat(payment.textAt("/payment/state")).isEqualTo("dead");
        assertThat(payment.at("/why").valueStream().map(moment -> moment.path("what").asString()))
                .containsSubsequence("accepted", "sent", "heard", "died");
        assertThat(payment.textAt("/journey/0/stage")).isEqualTo("requests");
        assertThat(payment.textAt("/dead_letters/0/dead_letter_id")).isEqualTo(id);
        assertThat(reader.get("/api/payments/" + poison).status()).isEqualTo(200);
        assertThat(reader.get("/api/payments/pay_none").status()).isEqualTo(404);
    }

    @Test
    void each_psp_has_the_state_that_the_processes_report() {
        world.rows.text("""
                INSERT INTO psp_health (psp, process, good_at, open, failed_in_a_row, failed_payments, told_at, unwell_at)
                VALUES ('adyen', gen_random_uuid(), now(), false, 0, '', now(), NULL),
                       ('stripe', gen_random_uuid(), now(), true, 7, '', now(), now()),
                       ('stripe', gen_random_uuid(), now(), false, 0, '', now(), NULL),
                       ('gone', gen_random_uuid(), now() - interval '25 hours', false, 0, '', now() - interval '2 minutes', NULL)
                RETURNING psp
                """);
        Browser.Answer psps = reader.get("/api/psps");
        assertThat(psps.at("/items").valueStream().map(psp -> psp.path("psp").asString() + " " + psp.path("state").asString()))
                .containsExactly("adyen well", "gone absent", "stripe unwell");
        assertThat(psps.at("/items/0/last_good_at").asString()).isNotEmpty();
        assertThat(psps.at("/items/1/last_good_at").isNull()).as("none within a day").isTrue();
        assertThat(psps.at("/items/2/success_rate").asDouble()).isEqualTo(7.0 / 8);
        assertThat(psps.at("/items/2/rate_of").asInt()).isEqualTo(8);
        assertThat(psps.at("/items/2/breakers_open").asInt()).isEqualTo(1);
        assertThat(reader.get("/api/overview").textAt("/verdict")).isEqualTo("attention");
    }

    @Test
    void a_success_rate_has_beside_it_what_waits_and_is_not_in_it() {
        world.rows.text("""
                INSERT INTO psp_health (psp, process, good_at, open, failed_in_a_row, failed_payments, told_at, unwell_at)
                VALUES ('adyen', gen_random_uuid(), now(), false, 0, '', now(), NULL),
                       ('stripe', gen_random_uuid(), now(), true, 7, '', now(), now()) RETURNING psp
                """);
        world.rows.retry(world.rows.accepted("acme"), 1, "the PSP answered 500");
        world.rows.retry(world.rows.accepted("acme"), 2, "the PSP answered 500");
        Browser.Answer psps = reader.get("/api/psps");
        assertThat(psps.at("/items/0/waiting/count").asInt()).isZero();
        assertThat(psps.at("/items/1/waiting/count").asInt()).isEqualTo(2);
        assertThat(psps.at("/items/1/waiting/money/0/count").asInt()).isEqualTo(2);
        assertThat(reader.get("/api/overview").at("/psps/1/waiting")).isEqualTo(psps.at("/items/1/waiting"));
    }

    /** The events of a stream as they come. */
    private static Queue<String> stream(Browser browser) {
        var events = new ConcurrentLinkedQueue<String>();
        Thread.ofVirtual().start(() -> {
            try (var lines = Browser.http().send(browser.request("/api/stream").build(), HttpResponse.BodyHandlers.ofLines()).body()) {
                lines.forEach(events::add);
            } catch (IOException | RuntimeException closed) {
                events.add("closed");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return events;
    }

    @Test
    void pages_that_are_left_give_the_places_of_their_streams_back() throws Exception {
        Browser browser = world.signIn(ConsoleWorld.READER);
        for (int page = 0; page < 8; page++) {
            try (var left = HttpClient.newHttpClient()) {
                HttpResponse<InputStream> stream =
                        left.send(browser.request("/api/stream").build(), HttpResponse.BodyHandlers.ofInputStream());
                assertThat(stream.statusCode()).as("page %d", page).isEqualTo(200);
                stream.body().read();
                left.shutdownNow();
            }
        }
    }

    @Test
    void a_stream_tells_what_changes_and_ends_with_its_session() {
        Browser browser = world.signIn(ConsoleWorld.OPERATOR);
        Queue<String> events = stream(browser);
        await().until(() -> events.stream().anyMatch(line -> line.startsWith("data:") && line.contains("\"verdict\":\"quiet\"")));

        world.rows.dead(2);

        await().until(() -> events.stream().anyMatch(line -> line.startsWith("data:") && line.contains("\"verdict\":\"stuck\"")));
        Browser.Answer run = browser.post("/api/runs", Map.of("kind", "merge", "filter", Map.of(), "reason", "x", "canary", 0, "expect",
                Map.of("count", 2, "money", List.of(Map.of("currency", "EUR", "amount", 2598)))));
        assertThat(run.status()).as(run.text()).isEqualTo(201);
        String id = run.textAt("/run");
        await().until(() -> events.stream().anyMatch(line -> line.startsWith("data:") && line.contains(id)));
        assertThat(events).contains("event: run", "event: overview");
        browser.delete("/api/session");
        await().until(() -> events.contains("closed"));
    }

}
