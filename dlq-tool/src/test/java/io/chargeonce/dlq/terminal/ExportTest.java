// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.FaultyDriver;
import io.chargeonce.dlq.QueueRows;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ExportTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @TempDir
    Path folder;

    @Test
    void card_tokens_and_personal_fields_are_masked_unless_asked() throws IOException {
        rows.dead();
        rows.poison("{\"to\":\"a@example.com\",\"card\":\"4242 4242 4242 4242\",\"method\":\"pm_card_visa\",\"n\":7}".getBytes());
        assertThat(call("export", file("masked")).exit()).isZero();
        assertThat(Files.readString(Path.of(file("masked")))).contains("************")
                .doesNotContain("pm_card_visa");
        unmasked("export", file("plain"));
        assertThat(Files.readString(Path.of(file("plain")))).contains("pm_card_visa");
        String personal = rows.text("SELECT dead_letter_id FROM dead_letter WHERE source_topic = 'payments.requests'");
        assertThat(call("show", personal).out() + call("show", personal, "--json").out() + call("list", "--json").out())
                .contains("\"n\":7").doesNotContain("example.com", "4242", "pm_card_visa");
        assertThat(unmasked("show", personal).out()).contains("4242 4242 4242 4242", "a@example.com", "pm_card_visa");
        rows.clear();
        call("import", file("masked"), "--reason", "a test");
        String poison = rows.text("SELECT dead_letter_id FROM dead_letter WHERE source_topic = 'payments.requests'");
        assertThat(call("show", poison).out()).contains("\"n\":7").doesNotContain("example.com", "4242", "pm_card_visa");
    }

    @Test
    void a_card_in_poison_is_shown_in_no_spelling_and_neither_is_what_came_with_it() throws IOException {
        String id = rows.poison(("{\"pan\":\"4111\u00a01111.1111-1111\",\"cvc\":\"987\",\"cardholder\":\"Jane Doe\","
                + "\"also\":\"\uff15\uff15\uff15\uff15555555554444\",\"n\":7}").getBytes(StandardCharsets.UTF_8));
        call("export", file("masked"));
        JsonNode exported = new JsonMapper().readTree(Files.readString(Path.of(file("masked"))));
        String value = new String(Base64.getDecoder().decode(exported.at("/source/value").stringValue()), StandardCharsets.UTF_8);
        for (String printed : List.of(value, call("show", id).out(), call("list").out(), call("list", "--json").out(),
                call("why", id).out())) {
            assertThat(printed).doesNotContain("1111.1111", "\"987\"", "Jane Doe", "5555555", "\uff15");
        }
        assertThat(value).contains("\"n\":7");
        assertThat(unmasked("show", id).out()).contains("1111.1111", "\"987\"", "Jane Doe");
    }

    @Test
    void what_a_psp_quotes_in_its_answer_is_masked_too() throws IOException {
        String said = "card_declined: no such method 'pm_1NXWPnFsh', ask a@example.com";
        String id = rows.dead("acme", 100, "EUR", said);
        call("export", file("masked"));
        for (String printed : List.of(Files.readString(Path.of(file("masked"))), call("list").out(), call("list", "--json").out(),
                call("show", id).out(),
                call("show", id, "--json").out(), call("why", id).out(), call("why", id, "--json").out())) {
            assertThat(printed).contains("card_declined").doesNotContain("pm_1NXWPnFsh", "example.com");
        }
        assertThat(unmasked("show", id, "--json").out()).contains("pm_1NXWPnFsh");
        unmasked("export", file("plain"));
        assertThat(Files.readString(Path.of(file("plain")))).contains("a@example.com");
    }

    @Test
    void a_file_has_its_name_once_it_is_complete_and_only_its_owner_reads_it() throws IOException {
        rows.dead(3);
        Called cut = Called.of(() -> new DeadLetterQueue(
                Database.openForCommand(FaultyDriver.cutting(rows.url(), 3, FaultyDriver.Cut.BEFORE), "postgres", ""),
                QueueRows.TOPICS), "export", file("cut"));
        assertThat(cut.exit()).as(cut.err()).isEqualTo(3);
        assertThat(folder).isEmptyDirectory();
        assertThat(unmasked("export", file("whole")).exit()).isZero();
        assertThat(folder.toFile().list()).containsExactly("whole.ndjson");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(file("whole"))))).isEqualTo("rw-------");
        assertThat(call("export", folder.resolve("nowhere/x").toString()).err()).contains("there is no folder '");
    }

    @Test
    void an_import_touches_no_payment_and_importing_twice_is_importing_once() {
        String id = rows.dead();
        String poison = rows.poison(new byte[] {0, 1, (byte) 0xff});
        unmasked("export", file("all"));
        rows.clear();
        assertThat(call("import", file("all"), "--reason", "a test").out()).contains("2 records");
        assertThat(rows.letter(poison)).isEqualTo("dead/1");
        assertThat(rows.text("SELECT count(*) FROM operation")).isEqualTo("0");
        assertThat(call("list", "--json").json()).extracting(line -> line.at("/source/key").asString())
                .contains(Base64.getEncoder().encodeToString(id.getBytes(StandardCharsets.UTF_8)));
        assertThat(call("import", file("all"), "--reason", "a test").out()).contains("0 records came into the queue",
                "2 had been in it before");
        assertThat(rows.text("SELECT count(*) || '/' || max(revision) FROM dead_letter")).isEqualTo("2/1");
        assertThat(rows.audit(poison)).as("what was done, and no more").isEqualTo("dlq.imported");
        assertThat(call("merge", "--all").out()).contains("needs editing");
    }

    @Test
    void an_import_takes_a_file_with_a_byte_order_mark_and_blank_lines_as_editors_write_them() throws IOException {
        rows.dead();
        rows.poison(new byte[] {0, 1, (byte) 0xff});
        unmasked("export", file("all"));
        rows.clear();
        Path all = Path.of(file("all"));
        Files.writeString(all, "\ufeff" + String.join("\r\n\r\n", Files.readAllLines(all)) + "\r\n \r\n\n");
        assertThat(call("import", all.toString(), "--reason", "a test").out()).startsWith("2 records came");
        Files.writeString(all, "\n\nno JSON\n");
        assertThat(call("import", all.toString(), "--reason", "a test").err()).contains("line 3");
    }

    @Test
    void what_was_exported_here_or_imported_before_is_known_masked_or_not() {
        String payment = rows.dead();
        String poison = rows.poison("{\"to\":\"a@example.com\",\"card\":\"4242 4242 4242 4242\"}".getBytes());
        call("export", file("masked"));
        unmasked("export", file("plain"));
        for (String name : List.of("masked", "plain")) {
            assertThat(call("import", file(name), "--reason", "by mistake").out()).as("it is here already").startsWith("0 records came");
        }
        assertThat(rows.text("SELECT string_agg(dead_letter_id, ' ' ORDER BY dead_letter_id) FROM dead_letter"))
                .isEqualTo(payment + " " + poison);
        for (List<String> order : List.of(List.of("masked", "plain"), List.of("plain", "masked"))) {
            rows.clear();
            assertThat(call("import", file(order.getFirst()), "--reason", "a test").out()).startsWith("2 records came");
            assertThat(call("import", file(order.getLast()), "--reason", "again").out())
                    .startsWith("0 records came into the queue").contains("2 had been in it before, and stay as they are");
            assertThat(rows.letter(poison)).isEqualTo("dead/1");
        }
    }

    @Test
    void an_import_is_undone_by_purging_its_run_and_takes_nothing_else_along() {
        rows.poison(new byte[] {1});
        rows.dead();
        unmasked("export", file("all"));
        rows.clear();
        String mine = rows.poison(new byte[] {2});
        Called imported = call("import", file("all"), "--reason", "a test");
        Matcher undo =
                Pattern.compile("To undo it:  chargeonce dlq (purge --run run_[0-9a-f]{10}) --reason … --yes").matcher(imported.out());
        assertThat(undo.find()).as(imported.out()).isTrue();
        String[] purge = (undo.group(1) + " --reason undo --yes").split(" ");
        assertThat(call(purge).out()).contains("    2      –  purged");
        assertThat(call("list", "--json").json()).extracting(line -> line.path("dead_letter_id").asString()).containsExactly(mine);
        assertThat(call("import", file("all"), "--reason", "again").out())
                .contains("2 had been in it and have left it since; they stay away: chargeonce dlq restore brings back what was purged")
                .doesNotContain("To undo it");
    }

    @Test
    void a_file_that_is_no_export_is_refused_whole() throws IOException {
        rows.poison(new byte[] {1});
        call("export", file("good"));
        rows.clear();
        Files.writeString(Path.of(file("bad")), Files.readString(Path.of(file("good"))) + "{\"x\":1}\n");
        Called bad = call("import", file("bad"), "--reason", "a test");
        assertThat(bad.exit()).isEqualTo(2);
        assertThat(bad.err()).contains("line 2");
        Files.writeString(Path.of(file("worse")), "hello\n");
        assertThat(call("import", file("worse"), "--reason", "a test").err())
                .contains("has a line 1 that is not an exported dead letter: it is not JSON: see line 1, column ");
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("0");
        assertThat(call("import", file("nowhere"), "--reason", "r").exit()).isEqualTo(2);
        assertThat(call("export", file("good")).err()).contains("exists already");
    }

    /** Before the first byte is shown, the log has who, why, how many and which. */
    @Test
    void a_look_without_the_masks_needs_its_own_right_and_a_reason_and_is_on_record() {
        String id = rows.poison("{\"card\":\"4242424242424242\"}".getBytes());
        assertThat(call("show", id, "--unmasked").err()).contains("--reason is missing");
        assertThat(call("show", id, "--reason", "r").err()).contains("--reason goes with --unmasked");
        for (String role : List.of("chargeonce_dlq_reader", "chargeonce_dlq_operator")) {
            Called refused = Called.of(() -> rows.openAs(role), "show", id, "--unmasked", "--reason", "r");
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("this role may not do that", "chargeonce_dlq_unmask");
            assertThat(refused.out()).isEmpty();
            assertThat(Called.of(() -> rows.openAs(role), "export", file(role), "--unmasked", "--reason", "r").exit()).isEqualTo(2);
        }
        assertThat(folder).isEmptyDirectory();
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.unmasked'")).isEqualTo("0");

        assertThat(unmasked("show", id).out()).contains("4242424242424242");
        assertThat(rows.text("SELECT concat_ws(' ', session_role, resource_id, reason, data ->> 'count') FROM audit_record "
                + "WHERE action = 'dlq.unmasked'")).isEqualTo("chargeonce_dlq_unmask " + id + " ticket 4711 1");
        unmasked("export", file("all"), "--standing", "poison");
        assertThat(rows.text("SELECT data ->> 'count' || (data -> 'filter')::text FROM audit_record WHERE action = 'dlq.unmasked' "
                + "AND resource_type = 'dead_letters'")).isEqualTo("1{\"standing\":\"poison\"}");
        assertThat(Called.of(() -> rows.openAs("chargeonce_dlq_unmask"), "purge", id, "--reason", "r", "--yes").exit()).as("it only looks")
                .isEqualTo(2);
    }

    private static Called unmasked(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 3);
        System.arraycopy(new String[] {"--unmasked", "--reason", "ticket 4711"}, 0, all, arguments.length, 3);
        return Called.of(() -> rows.openAs("chargeonce_dlq_unmask"), all);
    }

    private String file(String name) {
        return folder.resolve(name + ".ndjson").toString();
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
