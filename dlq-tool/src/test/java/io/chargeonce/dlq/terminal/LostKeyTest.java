// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.vault.Vault;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The data key is lost, or is another one. Payments go on; poison is told to be closed, and can be purged. */
class LostKeyTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"none", "another"})
    void what_cannot_be_opened_is_listed_told_and_purged_and_payments_merge(String key) throws Exception {
        Vault vault = key.equals("none") ? Vault.WITHOUT_KEY : QueueRows.newVault();
        String payment = rows.dead();
        String poison = rows.poison("{\"n\":7}".getBytes(StandardCharsets.UTF_8));
        String file = folder.resolve("all.ndjson").toString();

        assertThat(call(vault, "list").out()).contains(payment, poison);
        assertThat(call(vault, "show", poison).out()).contains("cannot be opened", "CHARGEONCE_DATA_KEY_FILE").doesNotContain("Bug!");
        assertThat(call(vault, "list", "--json").out()).contains("\"closed\":");
        assertThat(call(vault, "export", file).out()).contains("2 dead letters", "1 of them is without bytes",
                "CHARGEONCE_DATA_KEY_FILE");
        assertThat(Files.readString(Path.of(file))).contains(poison, "\"closed\":");
        assertThat(call(vault, "edit", poison, "--reason", "r", "--editor", "true").err()).contains("its bytes cannot be opened");
        assertThat(call(vault, "merge", "--all", "--yes", "--wait", "0").exit()).isZero();
        assertThat(rows.letter(payment)).isEqualTo("merged/2");
        assertThat(call(vault, "purge", poison, "--reason", "r", "--yes").exit()).isZero();
        assertThat(call(vault, "restore", poison, "--reason", "r", "--yes").exit()).isZero();
        assertThat(rows.letter(poison)).isEqualTo("dead/3");
        assertThat(call(QueueRows.VAULT, "show", poison).out()).as("with its key again").contains("\"n\":7");
    }

    @Test
    void an_edit_that_cannot_be_opened_stays_where_it_is_and_the_merge_says_so() {
        String payment = rows.accepted("acme");
        String record = rows.record(payment);
        String poison = rows.poison(record.substring(0, record.length() - 1).getBytes(StandardCharsets.UTF_8));
        assertThat(call(QueueRows.VAULT, "edit", poison, "--reason", "r", "--editor", "printf } >>").exit()).isZero();
        Called merge = call(Vault.WITHOUT_KEY, "merge", poison, "--yes", "--wait", "0");
        assertThat(merge.out()).contains("no key in the file of CHARGEONCE_DATA_KEY_FILE opens it");
        assertThat(rows.letter(poison)).isEqualTo("dead/1");
        assertThat(rows.staged("payments.requests", payment)).isEqualTo("nothing");
        assertThat(call(QueueRows.VAULT, "merge", poison, "--yes", "--wait", "0").out()).contains("sent to its topic again");
        assertThat(rows.letter(poison)).isEqualTo("merged/2");
    }

    @Test
    void nothing_is_imported_in_the_clear_for_want_of_a_key() throws Exception {
        rows.poison(new byte[] {1});
        String file = folder.resolve("all.ndjson").toString();
        call(QueueRows.VAULT, "export", file);
        rows.clear();
        Called imported = call(Vault.WITHOUT_KEY, "import", file, "--reason", "r");
        assertThat(imported.exit()).isEqualTo(2);
        assertThat(imported.err()).contains("there is no data key to seal with", "chargeonce data-key makes one", "nothing was changed");
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("0");
    }

    @Test
    void bytes_that_were_changed_hold_up_nothing() {
        for (String bytes : List.of("\\x", "\\x00ff", "\\x00000000ff01", "\\x07ff", "\\x01ff")) {
            String poison = rows.poison(new byte[] {1});
            rows.owner().withConnection(connection -> connection.createStatement().executeUpdate(
                    "UPDATE dead_letter SET sealed_record = '" + bytes + "', sealed_edit = '" + bytes + "' WHERE dead_letter_id = '"
                            + poison + "'"));
            assertThat(call(QueueRows.VAULT, "show", poison).out()).as(bytes).contains("cannot be opened");
            assertThat(call(QueueRows.VAULT, "list", "--json").exit()).isZero();
            assertThat(call(QueueRows.VAULT, "merge", poison, "--yes", "--wait", "0").exit()).isEqualTo(1);
            assertThat(call(QueueRows.VAULT, "purge", poison, "--reason", "r", "--yes").exit()).isZero();
        }
    }

    @Test
    void bytes_that_were_moved_to_another_row_stay_closed() {
        String one = rows.poison("{\"n\":1}".getBytes(StandardCharsets.UTF_8));
        String other = rows.poison("{\"n\":2}".getBytes(StandardCharsets.UTF_8));
        rows.owner().withConnection(connection -> connection.createStatement().executeUpdate(
                "UPDATE dead_letter SET sealed_record = (SELECT sealed_record FROM dead_letter WHERE dead_letter_id = '" + one
                        + "') WHERE dead_letter_id = '" + other + "'"));
        assertThat(call(QueueRows.VAULT, "show", other).out()).contains("cannot be opened").doesNotContain("\"n\"");
    }

    private static Called call(Vault vault, String... arguments) {
        return Called.of(() -> new DeadLetterQueue(Database.openForCommand(
                rows.url().replace("user=postgres", "user=chargeonce_dlq_operator"), "chargeonce_dlq_operator", ""), QueueRows.TOPICS,
                vault), arguments);
    }
}
