// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What waits in the tiers is tried now or stopped in the console, and nothing else. */
class WaitingActionsTest {

    private static ConsoleWorld world;
    private static Browser operator;
    private static Browser reader;

    @BeforeAll
    static void start() {
        world = ConsoleWorld.start();
        operator = world.signIn(ConsoleWorld.OPERATOR);
        reader = world.signIn(ConsoleWorld.READER);
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @BeforeEach
    void empty() {
        world.rows.clear();
    }

    private static final int LARGEST_BATCH = 500;
    private static final Map<String, Object> ONE = Map.of("count", 1, "money", List.of(Map.of("currency", "EUR", "amount", 1299)));

    private static Browser.Answer endWait(Browser browser, String how, String asOf, Map<String, Object> target) {
        var body = new HashMap<String, Object>(target);
        body.put("expect", ONE);
        body.put("as_of", asOf);
        body.put("reason", "cancelled");
        return browser.post("/api/waiting/" + how, body);
    }

    private static String waits(int tier) {
        String payment = world.rows.accepted("acme");
        world.rows.retry(payment, tier, "the PSP answered 500");
        return payment;
    }

    @Test
    void what_waits_in_a_tier_is_tried_now_or_stopped_if_it_is_what_was_shown() {
        String now = waits(1);
        String never = waits(2);
        Browser.Answer waiting = operator.get("/api/waiting?tier=1");
        assertThat(waiting.textAt("/items/0/operation_id")).isEqualTo(now);
        assertThat(waiting.at("/total/money/0").toString()).isEqualTo("{\"currency\":\"EUR\",\"amount\":1299,\"count\":1}");
        String shown = waiting.textAt("/as_of");
        Map<String, Object> tier = Map.of("filter", Map.of("tier", 1));
        assertThat(endWait(operator, "now", shown, Map.of("filter", Map.of())).status()).isEqualTo(409);
        assertThat(endWait(reader, "now", shown, tier).status()).isEqualTo(403);
        assertThat(operator.post("/api/waiting/stop", Map.of("ids", List.of(never), "expect", ONE, "as_of", shown)).status())
                .isEqualTo(400);
        for (String noTime : List.of("", "yesterday", "2999-01-01T00:00:00Z")) {
            assertThat(endWait(operator, "now", noTime, tier).textAt("/detail")).contains("as_of must be");
        }

        assertThat(finished(endWait(operator, "now", shown, tier)).at("/fates/retried/count").asInt()).isEqualTo(1);
        assertThat(finished(endWait(operator, "stop", shown, Map.of("ids", List.of(never)))).at("/fates/stopped/count").asInt())
                .isEqualTo(1);

        assertThat(world.rows.letter(never)).startsWith("dead/");
        assertThat(operator.get("/api/audit").at("/items").valueStream().map(item -> item.path("action").asString()))
                .contains("dlq.stopped", "dlq.retried_now");
    }

    @Test
    void a_payment_that_took_the_place_of_one_that_was_shown_goes_on_waiting() {
        waits(1);
        String asOf = operator.get("/api/waiting").textAt("/as_of");
        Map<String, Object> everything = Map.of("filter", Map.of());
        assertThat(finished(endWait(operator, "now", asOf, everything)).at("/fates/retried/count").asInt()).isEqualTo(1);
        String later = waits(1);

        Browser.Answer again = finished(endWait(operator, "stop", asOf, everything));

        assertThat(again.at("/fates/stopped/count").asInt()).as("the one that was shown, and was not tried yet").isOne();
        assertThat(operator.get("/api/waiting").at("/items").valueStream().map(one -> one.path("operation_id").asString())).contains(later);
    }

    /** The run that this has begun, once it has ended. */
    private static Browser.Answer finished(Browser.Answer begun) {
        assertThat(begun.status()).as(begun.text()).isEqualTo(202);
        String run = "/api/runs/" + begun.textAt("/run");
        await().until(() -> operator.get(run).textAt("/state").equals("finished"));
        return operator.get(run);
    }

    @Test
    void a_stop_that_is_cut_off_at_a_locked_payment_tells_how_many_it_has_stopped_before() {
        for (int i = 0; i < LARGEST_BATCH; i++) {
            world.rows.retry(world.rows.accepted("acme"), 1, "the PSP answered 500");
        }
        String locked = world.rows.accepted("acme");
        world.rows.retry(locked, 2, "the PSP answered 500");
        Map<String, Object> body = Map.of("filter", Map.of(), "reason", "cancelled", "as_of",
                operator.get("/api/waiting").textAt("/as_of"), "expect",
                Map.of("count", LARGEST_BATCH + 1, "money",
                        List.of(Map.of("currency", "EUR", "amount", 1299 * (LARGEST_BATCH + 1)))));

        String run = world.rows.holding(locked, () -> {
            String begun = operator.post("/api/waiting/stop", body).textAt("/run");
            await().until(() -> operator.get("/api/runs/" + begun).at("/fates/stopped/count").asInt() == LARGEST_BATCH
                    && world.rows.isWaitingForALock());
            world.rows.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock'");
            await().until(() -> operator.get("/api/runs/" + begun).text().contains("\"stopped_because\""));
            return begun;
        });

        Browser.Answer stopped = operator.get("/api/runs/" + run);
        assertThat(stopped.at("/fates/stopped/count").asInt()).as(stopped.text()).isEqualTo(LARGEST_BATCH);
        assertThat(stopped.at("/can").valueStream().map(JsonNode::asString)).contains("resume");
        assertThat(world.rows.operation(locked).waitsInATier()).isTrue();
    }
}
