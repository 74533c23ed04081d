// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.story.Story;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void a_mended_record_is_kept_beside_the_one_that_was_found_and_a_merge_sends_it_again() {
        String payment = rows.accepted("acme");
        String poison = cutOff(payment);
        Called edit = edit(poison, "printf } >>");
        assertThat(edit.exit()).as(edit.err()).isZero();
        assertThat(edit.out()).contains("- {", "+ {", "Kept as run_", "merge " + poison);
        Story kept = Story.of(rows.queue(), poison).orElseThrow();
        assertThat(kept.source().orElseThrow().value()).hasValue(cut(payment).getBytes(StandardCharsets.UTF_8));
        assertThat(kept.edited()).hasValue(rows.record(payment).getBytes(StandardCharsets.UTF_8));
        assertThat(rows.text("SELECT encode(sealed_record, 'escape') || encode(sealed_edit, 'escape') FROM dead_letter"))
                .doesNotContain("amount");
        assertThat(call("merge", poison).out()).contains("mended poison", "sends again");
        assertThat(rows.staged("payments.requests", payment)).as("an edit sends nothing").isEqualTo("nothing");

        Called merge = call("merge", poison, "--yes", "--wait", "0");
        assertThat(merge.exit()).as(merge.err()).isZero();
        assertThat(merge.out()).contains("sent to its topic again");
        assertThat(rows.text("SELECT convert_from(value, 'UTF8') FROM outbox WHERE topic = 'payments.requests'"))
                .isEqualTo(rows.record(payment));
        assertThat(rows.staged("payments.requests", payment)).isEqualTo("record");
        assertThat(rows.letter(poison)).isEqualTo("merged/2");
        assertThat(rows.audit(poison)).isEqualTo("dlq.opened dlq.edited dlq.merged");
        assertThat(call("merge", poison, "--yes", "--wait", "0").exit()).as("it is gone").isEqualTo(1);
        assertThat(rows.staged("payments.requests", payment)).isEqualTo("record");
    }

    @ParameterizedTest
    @CsvSource({"amount, s/1299/1/", "currency, s/EUR/USD/", "merchant, s/acme/evil/", "payment_method, s/pm_card_visa/pm_card_other/",
        "idempotency_key, 's/\"idempotency_key\":\"[^\"]*\"/\"idempotency_key\":\"x\"/'"})
    void what_says_who_pays_how_much_is_never_changed(String field, String script) {
        String poison = cutOff(rows.accepted("acme"));
        edit(poison, "true");
        String before = rows.everything().replaceFirst("\\d{2}$", "");
        Called edit = call("edit", poison, "--reason", "r", "--editor", "sed -i -e '" + script + "' -e 's/$/}/'");
        assertThat(edit.exit()).isEqualTo(1);
        assertThat(edit.err()).contains("'" + field + "' says who pays what", "it says something else than was accepted",
                "nothing was changed");
        assertThat(rows.everything().replaceFirst("\\d{2}$", "")).isEqualTo(before);
        assertThat(rows.audit(poison)).as("who has read it is on record, and no more").isEqualTo("dlq.opened dlq.opened");
    }

    @Test
    void what_was_typed_and_refused_is_not_lost() throws IOException {
        String payment = rows.accepted("acme");
        String poison = cutOff(payment);
        String refused = edit(poison, "sed -i s/$/,/").err();
        Matcher file = Pattern.compile("what you typed is in (\\S+);").matcher(refused);
        assertThat(file.find()).as(refused).isTrue();
        Path typed = Path.of(file.group(1));
        assertThat(typed).hasContent(cut(payment) + ",");
        assertThat(Files.getPosixFilePermissions(typed)).containsExactlyInAnyOrder(OWNER_READ, OWNER_WRITE);
        Called again = edit(poison, "cp " + typed + " \"$1\"; sed -i s/,$/}/");
        assertThat(again.exit()).as(again.err()).isZero();
        Files.delete(typed);
    }

    @Test
    void an_edit_invents_no_payment_and_no_poison() {
        String payment = rows.accepted("acme");
        assertThat(edit(cutOff(payment), "sed -i s/$/,/").err())
                .containsPattern("it would be poison again: it is not JSON: see line 1, column \\d+; nothing was changed");
        assertThat(edit(cutOff(payment), "sed -i s/$/]/").err()).containsPattern("poison again: it is not JSON: see line 1, column \\d+; ");
        String other = payment.substring(0, payment.length() - 1) + (payment.endsWith("a") ? "b" : "a");
        assertThat(call("edit", cutOff(payment), "--reason", "r", "--editor", "sed -i -e 's/$/}/' -e 's/" + payment + "/" + other + "/g'")
                .err())
                .contains("no payment '" + other + "' was ever accepted");
    }

    @Test
    void only_poison_of_this_pipeline_that_is_still_there_is_edited() {
        String payment = rows.dead();
        assertThat(edit(payment, "true").err()).contains("it is a payment, and what was accepted never changes");
        assertThat(edit(rows.poison("orders", new byte[] {1}), "true").err()).contains("found on 'orders'");
        String purged = cutOff(payment);
        call("purge", purged, "--reason", "r", "--yes");
        assertThat(edit(purged, "true").err()).contains("it has left the queue: purged");
        assertThat(edit("psn_nobody", "true").err()).contains("no dead letter ever had this id");
        assertThat(edit(cutOff(payment), "true").err()).contains("nothing was changed in the editor");
        assertThat(edit(cutOff(payment), "false").err()).contains("ended with 1").doesNotContain("what you typed");
        assertThat(call("edit", purged).exit()).as("without a reason").isEqualTo(2);
    }

    private static String cut(String payment) {
        String record = rows.record(payment);
        return record.substring(0, record.length() - 1);
    }

    private static String cutOff(String payment) {
        return rows.poison(cut(payment).getBytes(StandardCharsets.UTF_8));
    }

    private static Called edit(String id, String editor) {
        return call("edit", id, "--reason", "it was cut off", "--editor", editor);
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
