// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.QueueRows;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Payments are found by what others call them, and a name with a typing error is not taken for one that finds nothing. */
class FindTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void a_dead_letter_is_found_by_its_key_reference_customer_and_psp_reference() {
        String id = named(rows.charged(), "order-1", "jane");
        named(rows.dead(), "order-2", "jane");
        String key = rows.text("SELECT idempotency_key FROM operation WHERE operation_id = '" + id + "'");
        String pspKey = rows.text("SELECT psp_key FROM payment_attempt WHERE operation_id = '" + id + "'");
        for (String name : List.of(id, key, "order-1", "pi_late", pspKey)) {
            assertThat(call("show", name).out()).as(name).startsWith(id + "\n");
            assertThat(call("why", name).out()).as(name).startsWith(id + "\n");
        }
        assertThat(listed("--key", key)).containsExactly(id);
        assertThat(listed("--reference", "order-1", "--customer", "jane")).containsExactly(id);
        assertThat(listed("--customer", "jane")).hasSize(2);
        assertThat(listed("--psp-reference", "pi_late")).containsExactly(id);
        assertThat(listed("--psp-reference", pspKey)).containsExactly(id);
        assertThat(call("merge", "--reference", "order-1").out()).contains("1 in all");
    }

    @Test
    void a_name_of_several_payments_lists_them_and_is_a_no() {
        String first = named(rows.dead(), "order-1", "jane");
        String second = named(rows.dead(), "order-2", "jane");
        Called show = call("show", "jane");
        assertThat(show.exit()).isEqualTo(1);
        assertThat(show.err()).contains("'jane' names more than one: name one by its id", first + "\n    charge 12.99 EUR of acme, dead\n",
                second);
    }

    @Test
    void why_finds_a_payment_that_is_not_dead_and_show_says_that_it_never_was() {
        String id = named(rows.accepted("acme"), "order-1", "jane");
        rows.succeed(id);
        rows.dead();
        assertThat(call("why", "pi_" + id).out()).startsWith(id + "\n");
        Called show = call("show", "order-1");
        assertThat(show.exit()).isEqualTo(1);
        assertThat(show.err()).contains("'order-1' is no dead letter and never was one; chargeonce dlq why tells the life of:", id);
        assertThat(call("why", "order-9").err())
                .isEqualTo("dlq why: no payment, refund or dead letter has the id, key, reference, customer or PSP reference 'order-9'\n");
    }

    @Test
    void an_absolute_time_divides_the_queue_in_two() {
        String old = rows.dead();
        String fresh = rows.dead();
        rows.text("UPDATE dead_letter SET died_at = '2026-03-01T10:00:00Z' WHERE dead_letter_id = '" + old + "' RETURNING 1");
        assertThat(listed("--until", "2026-03-01T11:00+01:00")).isEmpty();
        assertThat(listed("--until", "2026-03-02")).containsExactly(old);
        assertThat(listed("--since", "2026-03-01T10:00Z", "--until", "2026-03-01T10:00:01Z")).as("from, and not up to")
                .containsExactly(old);
        assertThat(listed("--since", "2026-03-01T10:00:00.001Z")).containsExactly(fresh);
        assertThat(call("list", "--since", "yesterday", "--until", "2026-13-01").err()).contains(
                "--since is 'yesterday', but must be a time such as 2026-11-22T10:00Z", "--until is '2026-13-01'");
    }

    @ParameterizedTest
    @CsvSource({"--cause, psp_unwel, Did you mean psp_unwell? Known: breaker_open", "--psp, strpe, Did you mean stripe? Known: stripe",
        "--merchant, acne, 'Did you mean acme? Known: acme, globex'", "--run, run_0123456789, does not exist and never did",
        "--key, order-1O01, which no payment or refund has", "--reference, nobodys, which no payment or refund has"})
    void a_value_that_nothing_has_is_refused_with_those_that_there_are(String option, String value, String said) {
        rows.dead();
        rows.dead("globex", 1, "EUR", "m");
        String before = rows.everything();
        for (List<String> command : List.of(List.of("list"), List.of("list", "--json"), List.of("summary"),
                List.of("merge", "--yes", "--wait", "0"),
                List.of("purge", "--yes", "--reason", "r"), List.of("restore", "--reason", "r"), List.of("export", "/nowhere-at-all"))) {
            Called called = call(Stream.concat(command.stream(), Stream.of(option, value)).toArray(String[]::new));
            assertThat(called.exit()).isEqualTo(2);
            assertThat(called.err()).contains(option + " is '" + value + "'", said, "Nothing was changed.");
        }
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void a_value_that_exists_and_selects_nothing_is_fine() {
        rows.dead();
        rows.text("INSERT INTO merchant (merchant_id) VALUES ('globex') ON CONFLICT DO NOTHING RETURNING 1");
        for (List<String> filter : List.of(List.of("--cause", "expired"), List.of("--merchant", "globex"), List.of("--currency", "JPY"),
                List.of("--cause", "unresolved: gateway_timed_out"), List.of("--tier", "3"))) {
            assertThat(call(Stream.concat(Stream.of("list"), filter.stream()).toArray(String[]::new)))
                    .isEqualTo(new Called(0, "The dead-letter queue holds nothing of this kind.\n", ""));
        }
    }

    @Test
    void tiers_currencies_and_runs_that_cannot_be_are_refused() {
        assertThat(call("list", "--tier", "10", "--currency", "EUX", "--run", "last").err()).contains(
                "--tier is 10, but there are at most 9", "--currency is 'EUX', which is no currency of ISO 4217",
                "--run is 'last', but a run is named like run_0123456789");
    }

    private static String named(String id, String reference, String customer) {
        rows.owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(("SET session_replication_role = replica; UPDATE operation SET reference = '%s', customer = '%s' "
                        + "WHERE operation_id = '%s'; RESET session_replication_role").formatted(reference, customer, id));
            }
        });
        return id;
    }

    private static List<String> listed(String... filters) {
        String[] list = Stream.concat(Stream.of("list", "--json"), Arrays.stream(filters)).toArray(String[]::new);
        return call(list).json().stream().map(line -> line.path("dead_letter_id").asString()).toList();
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
