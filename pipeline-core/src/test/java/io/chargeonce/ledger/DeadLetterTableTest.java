// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentJson;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DeadLetterTableTest {

    private static LedgerRows rows;

    @BeforeAll
    static void open() {
        rows = new LedgerRows();
    }

    @AfterAll
    static void close() {
        rows.close();
    }

    @Test
    void a_dead_letter_is_staged_for_the_compacted_topic_and_leaves_it_by_a_tombstone() {
        String id = dead("psp_unwell");
        rows.release("purged", id);

        List<LedgerRows.Staged> staged = rows.staged(id);
        assertThat(staged).extracting(LedgerRows.Staged::topic).containsExactly("payments.dlq", "payments.dlq");
        var json = PaymentJson.MAPPER.readTree(staged.getFirst().value());
        assertThat(json.path("cause").asString()).isEqualTo("psp_unwell");
        assertThat(json.path("amount").asLong()).isEqualTo(1299);
        assertThat(staged.getLast().value()).isNull();
        assertThat(staged.getLast().headers()).contains("\"chargeonce-revision\":\"2\"");
    }

    @Test
    void each_revision_has_one_audit_record() {
        String id = dead("psp_unwell");
        rows.bury(DeadLetter.of(rows.find(id), "psp_unwell", "again, which changes nothing"));
        rows.bury(DeadLetter.of(rows.find(id), "unresolved", "else"));
        rows.release("purged", id);
        rows.release("merged", id);
        assertThat(rows.text("SELECT string_agg(action || ' ' || (data->>'revision'), ', ' ORDER BY audit_id) FROM audit_record"
                + " WHERE resource_id = '" + id + "'")).isEqualTo("dead_letter.entered 1, dead_letter.entered 2, dead_letter.left 3");
    }

    @Test
    void only_the_first_of_two_releases_has_it() {
        String id = dead("psp_unwell");
        assertThat(rows.release("merged", id)).containsExactly(id);
        assertThat(rows.release("purged", id)).isEmpty();
        assertThat(rows.letter(id)).isEqualTo("merged/2");
    }

    @Test
    void of_many_releases_at_once_one_has_it() {
        String id = dead("psp_unwell");
        var releases = Stream.generate(() -> CompletableFuture.supplyAsync(
                () -> rows.release("merged", id), Thread::startVirtualThread)).limit(4).toList();
        assertThat(releases.stream().flatMap(release -> release.join().stream())).containsExactly(id);
        assertThat(rows.staged(id)).hasSize(2);
    }

    @Test
    void a_later_failure_brings_a_released_letter_back_with_a_higher_revision() {
        String id = dead("psp_unwell");
        rows.change(id, (connection, operation) -> operation.reenter(operation.stagedAt(), Duration.ofHours(1)));
        rows.release("merged", id);
        rows.bury(id, "psp_unwell");

        assertThat(rows.letter(id)).isEqualTo("dead/3");
        assertThat(rows.staged(id)).hasSize(3).last()
                .satisfies(row -> assertThat(PaymentJson.MAPPER.readTree(row.value()).path("generation").asInt()).isEqualTo(2));
    }

    @Test
    void the_same_failure_buried_twice_is_one_revision_and_another_cause_is_the_next() {
        String id = dead("psp_unwell");
        rows.bury(DeadLetter.of(rows.find(id), "psp_unwell", "again"));
        assertThat(rows.letter(id)).isEqualTo("dead/1");
        rows.bury(DeadLetter.of(rows.find(id), "unresolved", "else"));
        assertThat(rows.letter(id)).isEqualTo("dead/2");
    }

    @Test
    void poison_read_again_is_the_same_dead_letter_even_after_a_purge() {
        DeadLetter poison = poison(7, new byte[] {0, 1, (byte) 0xff});
        rows.bury(poison);
        rows.bury(poison);
        assertThat(rows.letter(poison.id())).isEqualTo("dead/1");
        rows.release("purged", poison.id());
        rows.bury(poison);
        assertThat(rows.letter(poison.id())).isEqualTo("purged/2");
        assertThat(rows.staged(poison.id())).hasSize(2);
    }

    @Test
    void poison_without_key_and_value_is_kept_and_is_another_than_poison_with_empty_ones() {
        DeadLetter nothing = poison(8, null);
        DeadLetter empty = poison(8, new byte[0]);
        rows.bury(nothing);
        rows.bury(empty);
        assertThat(nothing.id()).isNotEqualTo(empty.id());
        assertThat(content(nothing.id()).value()).isNull();
        assertThat(content(empty.id()).value()).isEmpty();
    }

    @Test
    void a_message_with_a_nul_or_of_any_length_is_kept() {
        DeadLetter poison = DeadLetter.poison(new FoundRecord("payments.requests", 0, 9, null, new byte[] {1}, null), Vault.IN_THE_CLEAR,
                "undecodable", "a\0b" + "😀".repeat(600));
        rows.bury(poison);
        assertThat(rows.text("SELECT message FROM dead_letter WHERE dead_letter_id = '" + poison.id() + "'")).startsWith("a b😀");
    }

    private static DeadLetter poison(long offset, byte[] bytes) {
        return DeadLetter.poison(new FoundRecord("payments.requests", 1, offset, bytes, bytes, null), Vault.IN_THE_CLEAR, "undecodable",
                "no JSON");
    }

    private static FoundRecord.Content content(String id) {
        byte[] sealed = HexFormat.of()
                .parseHex(rows.text("SELECT encode(sealed_record, 'hex') FROM dead_letter WHERE dead_letter_id = '" + id + "'"));
        return FoundRecord.Content.of(((Opened.Readable) Vault.IN_THE_CLEAR.open(DeadLetter.place(id), sealed)).bytes());
    }

    private static String dead(String cause) {
        String id = rows.accept();
        rows.bury(id, cause);
        return id;
    }
}
