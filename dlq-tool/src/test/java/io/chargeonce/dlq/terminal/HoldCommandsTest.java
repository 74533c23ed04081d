// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.WaitingRows;
import io.chargeonce.dlq.hold.HoldEffect;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.ledger.Hold;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HoldCommandsTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();
    private static final WaitingRows waiting = new WaitingRows(rows);

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }

    private static DeadLetterQueue ofThreeTiers() {
        DeadLetterQueue queue = rows.open();
        return new DeadLetterQueue(queue.database(), queue.topics(), queue.vault(), 3);
    }

    @Test
    void a_tier_that_does_not_exist_is_no_filter_but_one_that_was_there_before_is() {
        rows.dead();
        for (String command : new String[] {"list", "waiting"}) {
            Called called = Called.of(HoldCommandsTest::ofThreeTiers, command, "--tier", "7");
            assertThat(called.exit()).as(command).isEqualTo(2);
            assertThat(called.err()).contains("Known: 1, 2, 3");
        }
        waiting.parked(7, "stripe");
        assertThat(Called.of(HoldCommandsTest::ofThreeTiers, "waiting", "--tier", "7").out()).contains("1 in all.");
    }

    private static String held() {
        return rows.text("SELECT coalesce(string_agg(concat_ws(' ', kind, name, action, reason, held_by), '; ' ORDER BY kind, name), '')"
                + " FROM hold");
    }

    private static String audited() {
        return rows.text("SELECT string_agg(concat_ws(' ', action, resource_id, actor, reason), '; ' ORDER BY audit_id)"
                + " FROM audit_record WHERE resource_type = 'hold'");
    }

    @Test
    void a_pause_shows_what_it_concerns_and_is_made_and_audited_only_with_yes() {
        waiting.scheduled(1);
        waiting.scheduled(1);
        rows.unresolved();
        Called dry = call("pause", "psp", "stripe", "--reason", "charges fail", "--until", "2h");
        assertThat(dry.exit()).as(dry.err()).isZero();
        assertThat(dry.out()).contains("PSP stripe, until 20", "no new attempt goes there", "No other PSP is set up",
                "1 unknown outcome is still queried", "Of the last 3 attempts, since 20", "3 (25.98 EUR, 700 JPY) went there.",
                "2 (25.98 EUR) wait in the tiers for it now", "Nothing was changed. Do it with --yes.");
        assertThat(held()).isEmpty();
        assertThat(call("pause", "psp", "stripe", "--reason", "charges fail", "--until", "2h", "--yes").out())
                .contains("PSP stripe is paused by ann since 20", ": charges fail. Every process obeys within two seconds.");
        assertThat(held()).isEqualTo("psp stripe pause charges fail ann");
        assertThat(audited()).isEqualTo("dlq.paused psp/stripe ann charges fail");
        assertThat(call("audit").out()).contains("dlq.paused", "charges fail");
    }

    @Test
    void what_is_parked_before_its_first_attempt_belongs_to_the_psps_that_it_waits_for() {
        waiting.parked(1, "stripe");
        waiting.parked(1, "stripe", "adyen");
        waiting.scheduled(1);
        assertThat(call("pause", "psp", "stripe", "--reason", "r", "--yes").out()).contains("3 (38.97 EUR) wait in the tiers for it now");
        assertThat(call("pause", "psp", "adyen", "--reason", "r").out()).contains("1 (12.99 EUR) waits in the tiers for it now");
        assertThat(call("waiting").out()).contains("stripe, adyen");
        assertThat(call("waiting", "--psp", "stripe").out()).contains("3 in all.");
        assertThat(call("resume", "psp", "stripe", "--reason", "r", "--yes").out()).contains("3 (38.97 EUR) wait in the tiers until",
                "waiting --psp stripe --now --yes");
        assertThat(call("waiting", "--psp", "stripe", "--now", "--yes", "--json").json().getFirst().at("/results/retried/count").asInt())
                .isEqualTo(3);
    }

    @Test
    void payments_whose_deadline_a_pause_outlasts_are_counted_before() {
        String id = waiting.parked(2);
        waiting.parked(2);
        rows.text("UPDATE operation_state SET charge_before = now() + interval '30 minutes' WHERE operation_id = '" + id + "' RETURNING 1");
        assertThat(call("pause", "tier", "retry-2", "--reason", "r", "--until", "1h").out()).contains("Tier retry-2, until 20",
                "2 (25.98 EUR) wait in the tiers for it now", "1 of these (12.99 EUR) passes its deadline before that, at 20",
                "becomes a dead letter (expired), once the tier is resumed");
        assertThat(call("pause", "tier", "2", "--reason", "r", "--until", "10m").out()).doesNotContain("of these");
        var json = call("pause", "tier", "2", "--reason", "r", "--until", "1h", "--json").json().getFirst();
        assertThat(json.path("dry").asBoolean()).isTrue();
        assertThat(json.at("/expiring/count").asInt()).isEqualTo(1);
        assertThat(json.at("/waiting/money/EUR").asInt()).isEqualTo(2598);
    }

    @Test
    void a_force_needs_an_end_within_a_day_and_a_psp() {
        rows.dead();
        for (String[] wrong : List.of(new String[] {"force", "psp", "stripe", "--reason", "r"},
                new String[] {"force", "psp", "stripe", "--reason", "r", "--until", "25h"},
                new String[] {"force", "tier", "1", "--reason", "r", "--until", "1h"},
                new String[] {"force", "psp", "stripe", "--until", "1h"},
                new String[] {"pause", "planet", "mars", "--reason", "r"}, new String[] {"pause", "tier", "10", "--reason", "r"})) {
            assertThat(call(wrong).exit()).isEqualTo(2);
        }
        assertThat(call("force", "psp", "stripe", "--reason", "it is well", "--until", "24h", "--yes").out())
                .contains("its breaker counts as closed", "PSP stripe is forced by ann since 20");
        assertThat(audited()).isEqualTo("dlq.forced psp/stripe ann it is well");
    }

    @ParameterizedTest
    @CsvSource({"psp, strpe, Did you mean stripe?", "merchant, acne, Did you mean acme?", "tier, 0, Known: 1",
        "tier, retry-9, 'Known: 1, 2, 3'"})
    void a_name_that_does_not_exist_pauses_nothing(String kind, String name, String hint) {
        rows.dead();
        Called called = Called.of(HoldCommandsTest::ofThreeTiers, "pause", kind, name, "--reason", "r", "--yes");
        assertThat(called.exit()).isEqualTo(2);
        assertThat(called.err()).contains(hint);
        assertThat(held()).isEmpty();
    }

    @Test
    void every_look_shows_a_hold_with_who_and_why_until_it_is_resumed() {
        rows.text("INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT DO NOTHING RETURNING 1");
        String id = waiting.parked(1);
        assertThat(call("pause", "merchant", "acme", "--reason", "stolen token", "--yes").exit()).isZero();
        String words = "Merchant acme is paused by ann since 20";
        for (String[] look : List.of(new String[] {"summary"}, new String[] {"waiting"}, new String[] {"why", id})) {
            assertThat(call(look).out()).contains(words, ": stolen token.");
            assertThat(call(Stream.concat(Stream.of(look), Stream.of("--json")).toArray(String[]::new)).json())
                    .anySatisfy(line -> assertThat(line.at("/hold/by").asString()).isEqualTo("ann"));
        }
        assertThat(call("watch", "--metrics", "127.0.0.1:1").out()).contains("Holds", words);
        assertThat(call("watch", "--json", "--metrics", "127.0.0.1:1").json().getFirst().at("/holds/0/reason").asString())
                .isEqualTo("stolen token");
        assertThat(call("holds").out()).contains("KIND", "merchant  acme  paused  ann  20", "resumed  stolen token");
        assertThat(call("holds", "--json").json()).singleElement()
                .satisfies(hold -> assertThat(hold.path("kind").asString()).isEqualTo("merchant"));
        assertThat(call("resume", "merchant", "acme", "--reason", "new token").out()).contains(words,
                "1 (12.99 EUR) waits in the tiers until it is due", "dlq waiting --merchant acme --now --yes", "Nothing was changed");
        assertThat(call("resume", "merchant", "acme", "--reason", "new token", "--yes").out())
                .contains("Merchant acme is resumed. It was paused by ")
                .doesNotContain("is paused");
        assertThat(held()).isEmpty();
        assertThat(audited()).isEqualTo("dlq.paused merchant/acme ann stolen token; dlq.resumed merchant/acme ann new token");
        assertThat(call("why", id).out()).doesNotContain("is paused");
        assertThat(call("holds").out()).contains("Nothing is paused or forced.");
        Called again = call("resume", "merchant", "acme", "--reason", "new token", "--yes");
        assertThat(again.exit()).isEqualTo(1);
        assertThat(again.err()).contains("Merchant acme is not held");
    }

    @Test
    void a_second_hold_replaces_the_first_and_the_audit_log_tells_both() {
        rows.dead();
        call("pause", "psp", "stripe", "--reason", "first", "--yes");
        assertThat(call("force", "psp", "stripe", "--reason", "second", "--until", "1h", "--yes").out())
                .contains("PSP stripe is paused by ann", "The new hold replaces that");
        assertThat(held()).isEqualTo("psp stripe force second ann");
        assertThat(rows.text("SELECT data->>'instead_of' FROM audit_record WHERE action = 'dlq.forced'")).isEqualTo("pause");
    }

    @Test
    void a_reader_looks_and_holds_nothing() {
        rows.dead();
        call("pause", "psp", "stripe", "--reason", "r", "--yes");
        DeadLetterQueue reader = rows.openAs("chargeonce_dlq_reader");
        try (var database = reader.database()) {
            HoldEffect effect = new Holds(reader).look(Hold.Kind.PSP, "stripe", Optional.empty());
            assertThat(effect.already()).map(Hold::by).contains("ann");
            assertThat(effect.recent().count()).isEqualTo(1);
        }
        Called resumed = Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "resume", "psp", "stripe", "--reason", "r", "--yes");
        assertThat(resumed.exit()).isEqualTo(2);
        assertThat(resumed.err()).contains("this role may not do that");
        assertThat(held()).isEqualTo("psp stripe pause r ann");
    }
}
