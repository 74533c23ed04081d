// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.sandbox.bank.BankBehaviour;
import io.chargeonce.terminal.Cells;
import io.chargeonce.wire.PaymentJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person reads about files in a terminal of 80 columns, and the one command that sends a file. */
class ListsTest {

    @TempDir
    private Path folder;
    private BankWorld world;
    private CommandOfAPerson person;
    private Outbound outbound;

    @BeforeEach
    void send() {
        world = new BankWorld();
        person = new CommandOfAPerson(world);
        BankAccount account = world.account(Duration.ofHours(1));
        outbound = world.outbound(account);
        outbound.runOnce();
        world.bank.tell(BankBehaviour.LATE);
        world.collected(world.mandate("m1"), 1_299, 3);
        isSent();
    }

    private void isSent() {
        await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("sent");
        });
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    @Test
    void every_list_names_its_money_and_fits_80_columns() {
        world.execute("""
                SET session_replication_role = replica;
                UPDATE bank_batch SET message_id = 'A-VERY-LONG-PREFIX-OF-OURS-12345678', last_error = repeat('the disk is full ', 20);
                INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size) VALUES (9, 'bank', 'camt', sha256('camt'), 1);
                INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, code, reference, state, note)
                SELECT 9, 'bank', 'booked', psp_key, 1299, 'EUR', true, '', '', 'unmatched', repeat('it fits nothing ', 20)
                  FROM bank_batch_item;
                UPDATE bank_line SET psp_key = repeat('a-strangers-id', 7) WHERE line_id = 1""");
        for (String list : new String[] {"batches", "show 1", "unmatched"}) {
            String shown = person.run(list.split(" "));
            assertThat(shown.lines().skip(1)).as(shown).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
            assertThat(shown).as(list).contains(list.equals("unmatched") ? "12.99 EUR" : "38.97 EUR");
        }
        assertThat(person.run("batches")).contains("A-VERY-LONG-PREFIX-OF-OURS-12345678")
                .containsPattern("ID  BANK  STATE +ITEMS +MONEY  DUE")
                .containsPattern(" 1  bank  \\S+ +3  38[.]97 EUR  ").contains("file 1: the disk is full");
        assertThat(person.run("batches", "--json").lines()).as("one object a line").hasSize(1);
    }

    @Test
    void a_strangers_words_keep_json_readable_and_lines_whole_and_narrow() {
        world.execute("""
                SET session_replication_role = replica;
                UPDATE bank_batch SET last_error = U&'soft\\00AD' || repeat('\u65e5\ud83d\ude00', 60)""");
        String json = person.run("batches", "--json");
        assertThat(PaymentJson.MAPPER.readTree(json.substring(json.indexOf('{'))).path("last_error").asString()).startsWith("soft\u00ad");
        assertThat(person.run("batches").lines()).allSatisfy(line -> {
            assertThat(Cells.of(line)).isLessThanOrEqualTo(80);
            assertThat(line.codePoints().filter(c -> Character.getType(c) == Character.SURROGATE)).isEmpty();
        });
    }

    @Test
    void a_mandate_of_tomorrow_or_of_five_digit_years_is_refused() throws IOException {
        Path debtor = Files.writeString(folder.resolve("debtor"), "name=Jane Doe\niban=DE02\u00a01203 0000 0000 2020 51\nbic=\n");
        for (String signed : new String[] {"2999-01-01", "+12026-01-01", "1026-01-01"}) {
            assertThat(person.run("mandate", "add", "mandate_new", "--merchant", "acme", "--signed", signed, "--debtor-file",
                    debtor.toString())).startsWith("2: ").contains("is in the future, or before 1900");
        }
    }

    @Test
    void a_file_is_only_shown_until_a_person_says_yes_and_then_the_same_bytes_go() {
        String[] resend = {"resend", "1", "--same-bytes", "--reason", "the bank has lost it"};
        assertThat(person.run(resend))
                .isEqualTo("0: Would send file 1 with 3 items of 38.97 EUR to bank again. Add --yes to do it.");
        assertThat(world.text("SELECT state || ' ' || resends FROM bank_batch")).isEqualTo("sent 0");
        assertThat(world.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.bank_resend'")).isEqualTo("0");
        String sha256 = world.text("SELECT encode(sha256, 'hex') FROM bank_batch");

        assertThat(person.run("resend", "1", "--same-bytes", "--reason", "the bank has lost it", "--yes")).startsWith("0: The bank-files ");
        isSent();
        assertThat(world.text("SELECT resends || ' ' || encode(sha256, 'hex') FROM bank_batch")).isEqualTo("1 " + sha256);
        await().atMost(Duration.ofSeconds(20)).until(() -> world.bank.files().resolve("archive").toFile().list().length == 2);
        assertThat(world.bank.executed()).as("the bank refuses what it has").hasSize(1);
        for (String command : new String[] {"resend 1 --same-bytes --yes", "close line 1", "release file 1", "mandate revoke m"}) {
            assertThat(person.run((command + " --reason …").split(" "))).startsWith("2: ").contains("'…', which is no reason");
        }
        assertThat(person.run("resend", "7", "--same-bytes", "--reason", "none", "--yes")).startsWith("1: ");
    }
}
