// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.terminal.page.SummaryTable;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.terminal.Screen;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

class CommandLineTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void list_prints_a_line_for_each_dead_letter() {
        String id = rows.dead();
        Called list = call("list");
        assertThat(list.exit()).isZero();
        assertThat(list.out().lines()).hasSize(2);
        assertThat(list.out()).contains("ID", "AMOUNT", id, "12.99 EUR", "psp_unwell", "stripe", "acme", "the PSP answered 500");
    }

    @Test
    void list_prints_the_columns_that_are_asked_for() {
        rows.dead();
        assertThat(call("list", "--columns", "amount,standing,generation,tier").out().lines().toList())
                .containsExactly("   AMOUNT  STANDING      GENERATION  TIER", "12.99 EUR  rechargeable           1     0");
        assertThat(call("list", "--columns", "shoe,id", "--sort", "x", "--currency", "eur", "--min-amount", "-1").err())
                .contains("--columns has no 'shoe'", "--sort is 'x'", "--currency is 'eur'", "--min-amount is '-1'");
    }

    @Test
    void every_filter_means_what_it_says() {
        String yen = rows.dead("acme", 5000, "JPY", "the PSP answered 500");
        String waited = rows.accepted("globex");
        rows.retry(waited, 2, "unwell");
        rows.fail(waited, "a shoe is missing");
        String poison = rows.poison(new byte[] {1});
        String unresolved = rows.unresolved();
        rows.text("UPDATE dead_letter SET died_at = died_at - interval '2 hours' WHERE dead_letter_id = '" + waited + "' RETURNING 1");
        String run = call("merge", yen, "--plan", "--json").json().getFirst().path("run").asString();

        assertThat(listed()).containsExactlyInAnyOrder(yen, waited, poison, unresolved);
        assertThat(listed("--cause", "undecodable")).containsExactly(poison);
        assertThat(listed("--psp", "stripe")).containsExactlyInAnyOrder(yen, waited, unresolved);
        assertThat(listed("--merchant", "globex")).containsExactly(waited);
        assertThat(listed("--older-than", "1h")).containsExactly(waited);
        assertThat(listed("--newer-than", "1h")).containsExactlyInAnyOrder(yen, poison, unresolved);
        assertThat(listed("--text", "Shoe")).containsExactly(waited);
        assertThat(listed("--standing", "unresolved")).containsExactly(unresolved);
        assertThat(listed("--currency", "JPY")).containsExactlyInAnyOrder(yen, unresolved);
        assertThat(listed("--min-amount", "5000")).containsExactly(yen);
        assertThat(listed("--max-amount", "1299")).containsExactlyInAnyOrder(waited, unresolved);
        assertThat(listed("--tier", "2")).containsExactly(waited);
        assertThat(listed("--generation", "2")).isEmpty();
        assertThat(listed("--run", run)).containsExactly(yen);
        assertThat(listed("--currency", "JPY", "--max-amount", "1000", "--psp", "stripe")).containsExactly(unresolved);
    }

    private static List<String> listed(String... filters) {
        String[] list = Stream.concat(Stream.of("list", "--json"), Stream.of(filters)).toArray(String[]::new);
        return call(list).json().stream().map(line -> line.path("dead_letter_id").asString()).toList();
    }

    @Test
    void list_says_that_there_are_more() {
        rows.dead(3);
        Called list = call("list", "--limit", "2");
        assertThat(list.out().lines()).hasSize(4).last().asString().startsWith("There are more");
    }

    @Test
    void the_next_page_begins_behind_the_last_line_even_if_that_has_left_the_queue() {
        List<String> dead = rows.dead(3);
        call("purge", dead.get(1), "--reason", "r", "--yes");
        assertThat(call("list", "--limit", "1").out()).contains(dead.get(2), "--after " + dead.get(2));
        assertThat(call("list", "--limit", "1", "--after", dead.get(1)).out()).contains(dead.get(0)).doesNotContain(dead.get(2),
                "There are more");
        assertThat(call("list", "--sort", "oldest", "--after", dead.get(0), "--json").json()).singleElement()
                .extracting(line -> line.path("dead_letter_id").asString()).isEqualTo(dead.get(2));
        assertThat(call("list", "--after", "pay_nobody").err()).contains("no dead letter ever had the id 'pay_nobody'");
    }

    @Test
    void an_empty_queue_is_fine_and_says_so() {
        assertThat(call("list")).isEqualTo(new Called(0, "The dead-letter queue holds nothing of this kind.\n", ""));
        assertThat(call("summary").exit()).isZero();
        assertThat(call("merge", "--all", "--yes", "--wait", "0").exit()).isZero();
        assertThat(call("list", "--json")).isEqualTo(new Called(0, "", ""));
    }

    @Test
    void a_change_of_an_empty_set_says_that_there_is_nothing_to_change() {
        assertThat(call("merge", "--all", "--yes", "--wait", "0").out())
                .isEqualTo("The dead-letter queue is empty: there is nothing to merge.\n");
        assertThat(call("merge", "--all").out()).isEqualTo("The dead-letter queue is empty: there is nothing to merge.\n");
        assertThat(call("purge", "--all", "--reason", "r", "--yes").out())
                .isEqualTo("The dead-letter queue is empty: there is nothing to purge.\n");
        assertThat(call("restore", "--all", "--reason", "r", "--yes").out())
                .isEqualTo("Nothing purged is left to restore.\n");
        assertThat(call("merge", "--standing", "charged", "--yes", "--wait", "0").out())
                .isEqualTo("The dead-letter queue holds nothing of this kind: there is nothing to merge.\n");
        assertThat(rows.text("SELECT count(*) FROM dlq_run")).as("no run is planned for nothing").isEqualTo("0");
        rows.poison(new byte[] {1});
        assertThat(call("merge", "--all").out()).doesNotContain("Add --yes").contains("None of it can be merged");
        rows.clear();
        rows.charged();
        assertThat(call("purge", "--all", "--reason", "r").out()).doesNotContain("Add --yes").contains("None of it can be purged");
    }

    @Test
    void json_is_one_object_a_line() {
        rows.dead();
        String poison = rows.poison("x\u001b[31mred".getBytes());
        assertThat(call("list", "--json", "--sort", "oldest").json()).hasSize(2).satisfiesExactly(
                payment -> {
                    assertThat(payment.path("amount").asLong()).isEqualTo(1299);
                    assertThat(payment.path("standing").asString()).isEqualTo("rechargeable");
                    assertThat(payment.path("payment").path("payment_method").asString()).as("what it holds, masked")
                            .isEqualTo("************");
                },
                bytes -> {
                    assertThat(bytes.path("dead_letter_id").asString()).isEqualTo(poison);
                    assertThat(bytes.path("source").path("value").binaryValue()).isEqualTo("x\u001b[31mred".getBytes());
                });
        List<JsonNode> summary = call("summary", "--json").json();
        assertThat(summary).hasSize(3);
        assertThat(summary.getLast().path("total").path("count").asInt()).isEqualTo(2);
        assertThat(call("show", poison, "--json").json().getFirst().path("source").path("value").binaryValue())
                .isEqualTo("x\u001b[31mred".getBytes());
        JsonNode merge = call("merge", "--all", "--yes", "--wait", "0", "--json").json().getFirst();
        assertThat(merge.path("fates").path("reentered").path("count").asInt()).isEqualTo(1);
        assertThat(merge.path("fates").path("refused").path("count").asInt()).isEqualTo(1);
        assertThat(merge.path("finished").asBoolean()).isTrue();
    }

    @Test
    void control_characters_of_others_never_reach_the_terminal() {
        String id = rows.dead("acme", 100, "EUR", "a\u001b[2Jb\u009b1mc\u202ed\ne");
        rows.poison("x\u001b[31mred\u0007".getBytes());
        for (String[] command : List.of(new String[] {"list"}, new String[] {"list", "--json"}, new String[] {"show", id},
                new String[] {"show", id, "--json"})) {
            assertThat(call(command).out().replace("\n", "")).doesNotContainPattern("[\\p{Cntrl}\u0080-\u009f\u202e]");
        }
        assertThat(call("list").out()).contains("a\\x1b[2Jb\\x9b1mc\\u{202e}d\\ne");
        assertThat(call("show", "x\u001b[2J").err()).contains("'x\\x1b[2J'");
    }

    @Test
    void summary_shows_money_per_currency_and_what_a_merge_would_do() {
        rows.dead();
        rows.dead("acme", 5000, "JPY", "the PSP answered 500");
        rows.unresolved();
        rows.charged();
        rows.poison(new byte[] {1});
        Called summary = call("summary");
        assertThat(summary.out()).contains("12.99 EUR", "5000 JPY", "merge", "resolver first:", "settles:",
                "needs editing: poison cannot be merged", "total", "17.99 EUR", "5700 JPY");
    }

    @Test
    void poison_that_no_edit_mends_is_not_said_to_need_one() {
        rows.poison(new byte[] {1});
        assertThat(call("summary").out()).contains("needs editing").doesNotContain("stays");
        rows.text("UPDATE dead_letter SET cause = 'unknown_payment' RETURNING 1");
        assertThat(call("summary").out()).contains("stays: no edit makes").doesNotContain("needs editing");
    }

    @Test
    void a_summary_fits_eighty_columns_and_says_whose_keys_are_forgotten_when() {
        rows.dead("a-merchant-with-a-long-name", 12_345_678_900L, "EUR", "the PSP answered 500");
        rows.unresolved();
        rows.text("UPDATE dead_letter SET cause = 'psp_unwell', psp = 'stripe', merchant_id = 'acme' RETURNING 1");
        var out = new StringWriter();
        SummaryTable.print(Summary.of(rows.queue(), DeadLetterFilter.everything()), Screen.plain(new PrintWriter(out), 80));
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(out.toString())
                .contains("123456789.00 EUR", "merge 1\n", "resolver first 1\n",
                        "stripe forgets the next key of an unresolved payment at 20")
                .doesNotContain("KEY VALID UNTIL");
        assertThat(call("summary").out()).contains("KEY VALID UNTIL");
    }

    @Test
    void show_tells_a_payments_story_in_words() {
        String id = rows.dead();
        call("merge", id, "--reason", "well again", "--yes", "--wait", "0");
        rows.fail(id, "still unwell");
        Called show = call("show", id);
        assertThat(show.exit()).isZero();
        assertThat(show.out()).contains("12.99 EUR", "1. ", "2. ", "certainly took no money: psp_unwell (still unwell)",
                "generation 2", "dlq.merged by " + QueueRows.OPERATOR + " in run_", ": well again");
        assertThat(call("show", rows.unresolved()).out()).contains("it is not known yet whether it took the money")
                .containsPattern("; key [a-z2-7]{26}, which stripe knows until 20");
    }

    @Test
    void show_prints_poison_as_text_where_it_is_text_and_as_bytes_where_not() {
        assertThat(call("show", rows.poison("{\"hello\": 1}".getBytes())).out())
                .contains("payments.requests, partition 3, offset", "{\"hello\": 1}");
        assertThat(call("show", rows.poison(new byte[] {0, 'A', (byte) 0xff})).out())
                .contains("000000  00 41 ff", ".A.");
    }

    @Test
    void an_id_that_is_not_there_is_a_no() {
        String id = rows.dead();
        assertThat(call("show", "pay_nobody").exit()).isEqualTo(1);
        assertThat(call("merge", "pay_nobody").exit()).isEqualTo(1);
        Called both = call("purge", id, "pay_nobody", "--reason", "r", "--yes");
        assertThat(both.exit()).isEqualTo(1);
        assertThat(both.err()).contains("not in the queue: pay_nobody");
        assertThat(rows.letter(id)).isEqualTo("purged/2");
        Called poison = call("merge", rows.poison(new byte[] {1}), "--yes", "--wait", "0");
        assertThat(poison.exit()).isEqualTo(1);
        assertThat(poison.out()).contains("refused and left as it was", "Nothing was changed by run_").doesNotContain("Committed");
    }

    @Test
    void one_purge_is_undone_by_its_run_and_what_can_be_undone_is_listed() {
        List<String> dead = rows.dead(3);
        Called purge = call("purge", dead.get(0), dead.get(1), "--reason", "r", "--yes");
        String run = purge.out().lines().filter(line -> line.startsWith("To undo it:")).findFirst().orElseThrow()
                .replaceAll(".*--run | --reason.*", "");
        call("purge", dead.get(2), "--reason", "another one", "--yes");
        call("restore", dead.get(1), "--reason", "wanted", "--yes");
        call("purge", dead.get(1), "--reason", "not wanted", "--yes");
        assertThat(listed()).isEmpty();
        assertThat(listed("--purged")).containsExactlyInAnyOrderElementsOf(dead);
        rows.text("UPDATE dead_letter SET died_at = now() - interval '5 days', changed_at = now() - interval '2 days' RETURNING 1");
        assertThat(call("list", "--purged").out()).contains("PURGED  RESTORABLE").containsPattern(dead.get(0) + " +2d +for 27d ");
        assertThat(listed("--purged", "--run", run)).as("the other one was taken out by another purge since").containsExactly(dead.get(0));
        assertThat(call("restore", "--run", run, "--reason", "wrong filter", "--yes").out()).contains("back in the queue")
                .doesNotContain("To undo it");
        assertThat(listed()).containsExactly(dead.get(0));
        Called missing = call("restore", dead.get(0), "--reason", "r");
        assertThat(missing.err()).contains("not left to restore: " + dead.get(0) + " is in the queue");
        assertThat(missing.out()).as("that was said").isEqualTo("Nothing was changed.\n");
        assertThat(call("restore", "--run", run, "--reason", "r").out()).contains("Nothing purged of this kind is left to restore.");
        call("merge", dead.get(0), "--yes", "--wait", "0");
        assertThat(call("restore", dead.get(0), "--reason", "r").err())
                .contains("not left to restore: " + dead.get(0) + " was merged at 20");
        assertThat(call("purge", dead.get(0), "--reason", "r").err()).contains("not in the queue: " + dead.get(0) + " was merged at 20");
    }

    @Test
    void without_yes_nothing_changes() {
        rows.dead();
        rows.charged();
        rows.unresolved();
        rows.poison(new byte[] {1});
        String before = rows.everything();
        Called purge = call("purge", "--all", "--reason", "cleaning");
        assertThat(purge.exit()).isZero();
        assertThat(purge.out()).contains("12.99 EUR", "refused: the money may have been taken", "Add --yes to do it");
        Called merge = call("merge", "--all");
        assertThat(merge.out()).contains("settled, not charged again:", "queried, not charged:", "poison cannot be merged",
                "Add --yes to do it");
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void all_that_is_wrong_with_a_call_is_reported_at_once() {
        Called purge = call("purge", "--older-than", "soon", "--standing", "odd");
        assertThat(purge.exit()).isEqualTo(2);
        assertThat(purge.err()).contains("--older-than is 'soon'", "--standing is 'odd'", "--reason is missing");
        assertThat(purge.err().lines()).hasSize(4);
        Called merge = call("merge", "--rate", "0", "--all", "--cause", "x");
        assertThat(merge.err()).contains("--rate is '0'", "--all means everything");
    }

    @Test
    void wrong_usage_is_2_and_changes_nothing() {
        rows.dead();
        String before = rows.everything();
        assertThat(call("purge", "--all", "--yes").exit()).isEqualTo(2);
        assertThat(call("purge", "--all", "--reason", " ", "--yes").exit()).isEqualTo(2);
        assertThat(call("purge", "--yes", "--reason", "r").err()).contains("name ids or a filter, or say --all");
        assertThat(call("merge", "pay_x", "--cause", "psp_unwell").err()).contains("not both");
        assertThat(call("list", "--limit", "many").exit()).isEqualTo(2);
        assertThat(call("list", "--colour").exit()).isEqualTo(2);
        assertThat(call("show").exit()).isEqualTo(2);
        assertThat(call().err()).contains("say what to do: list, summary, show");
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void an_unreachable_postgres_is_3_in_one_line() {
        Called list = call(() -> new DeadLetterQueue(
                Database.openForCommand("jdbc:postgresql://127.0.0.1:1/chargeonce", "ann", ""), QueueRows.TOPICS), "list");
        assertThat(list.exit()).isEqualTo(3);
        assertThat(list.out()).isEmpty();
        assertThat(list.err().lines()).hasSize(1);
        assertThat(list.err()).contains("Postgres can't be reached", "127.0.0.1:1");
    }

    @Test
    void a_database_without_the_tables_says_what_to_run() {
        String empty = TestStack.newDatabase();
        Called list = call(() -> new DeadLetterQueue(Database.openForCommand(empty, "postgres", ""), QueueRows.TOPICS), "list");
        assertThat(list.exit()).isEqualTo(3);
        assertThat(list.err()).contains("run chargeonce migrate first").doesNotContain("Exception");
    }

    @Test
    void a_reader_that_goes_away_ends_the_listing() throws IOException {
        rows.dead(3);
        CommandLine line = new DlqCommand(rows::open, Called::noKafka).commandLine();
        var pipe = new PipedReader();
        line.setOut(new PrintWriter(new PipedWriter(pipe)));
        pipe.close();
        assertThat(line.execute("list", "--json")).isEqualTo(141);
        assertThat(line.execute("summary")).isEqualTo(141);
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }

    private static Called call(Supplier<DeadLetterQueue> open, String... arguments) {
        return Called.of(open, arguments);
    }
}
