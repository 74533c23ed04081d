// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.inbound.Inbound;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.sandbox.bank.BankBehaviour;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names and accounts of who pays are erased on request, and forgotten when nothing needs them any more. */
class ForgottenAccountTest {

    private static final String MANDATE = "SELECT length(sealed_debtor) > 0 FROM bank_mandate WHERE mandate_id = 'mandate_m1'";
    private static final String FILES = "SELECT coalesce(string_agg(DISTINCT left(file, 3), ','), 'none') FROM bank_file_part";

    private BankWorld world;
    private Outbound outbound;
    private Inbound inbound;

    @BeforeEach
    void start() {
        world = new BankWorld();
        BankAccount account = world.account(Duration.ofHours(1));
        outbound = world.outbound(account);
        inbound = world.inbound(account);
        outbound.runOnce();
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private void until(String sql, String expected) {
        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            outbound.runOnce();
            inbound.runOnce();
            assertThat(world.text(sql)).isEqualTo(expected);
        });
    }

    private String erase(String payment) {
        return world.text("SELECT fate FROM erase_personal_data('acme', ARRAY['%s'], NULL, 'asked', 'run', true)".formatted(payment));
    }

    private void revoke() {
        assertThat(world.text("SELECT done FROM revoke_mandate('mandate_m1')")).isEqualTo("t");
    }

    private String succeeded() {
        world.startCharge();
        String payment = world.pay(world.mandate("m1"), 1_299);
        until("SELECT state FROM operation_state WHERE operation_id = '%s'".formatted(payment), "succeeded");
        until("SELECT count(*) FROM outbox", "0");
        return payment;
    }

    @Test
    void an_erased_payment_leaves_no_bytes_of_its_files_and_its_account_goes_with_its_revoked_mandate() {
        String payment = succeeded();
        assertThat(world.text(FILES)).isEqualTo("in/,out");
        assertThat(erase(payment)).isEqualTo("erased");
        assertThat(world.text(FILES + " WHERE file LIKE 'out/%'")).isEqualTo("none");
        assertThat(world.text("SELECT count(*) FROM bank_file_part WHERE file IN (SELECT * FROM bank_bytes_of(ARRAY(SELECT psp_key FROM "
                + "payment_attempt)))")).isEqualTo("0");
        assertThat(world.text(MANDATE)).as("a valid mandate may be used again").isEqualTo("t");
        assertThat(erase(payment)).isEqualTo("nothing_left");
        revoke();
        assertThat(erase(payment)).isEqualTo("erased");
        assertThat(world.text(MANDATE)).isEqualTo("f");
        assertThat(erase(payment)).isEqualTo("nothing_left");
        assertThat(world.text("SELECT count(*) FROM bank_line WHERE kind = 'booked' AND amount = 1299")).isEqualTo("1");
    }

    @Test
    @Tag("proof")
    void an_account_stays_while_another_payment_by_its_mandate_is_unfinished() {
        String payment = succeeded();
        world.bank.tell(BankBehaviour.LATE);
        String other = world.pay("mandate_m1", 700);
        until("SELECT count(*) FROM bank_batch WHERE state = 'sent'", "1");
        revoke();
        assertThat(erase(payment)).isEqualTo("erased");
        assertThat(world.text(MANDATE)).isEqualTo("t");
        assertThat(erase(other)).isEqualTo("unfinished");
        assertThat(world.text("SELECT count(*) > 0 FROM bank_file_part WHERE file = (SELECT 'out/' || message_id FROM bank_batch "
                + "WHERE state = 'sent')")).as("a person may have these sent again").isEqualTo("t");
    }

    @Test
    void files_and_accounts_are_forgotten_with_their_payments() {
        world.collected(world.mandate("m1"), 1_299, 3);
        until("SELECT state FROM bank_batch", "accepted");
        until("SELECT count(*) FROM bank_line WHERE kind = 'booked'", "3");
        revoke();
        String forget = "SELECT forget_bank_files(1000)";
        assertThat(world.text(forget)).isEqualTo("0");
        world.execute("""
                SET session_replication_role = replica;
                UPDATE bank_batch SET answered_at = now() - interval '401 days';
                UPDATE bank_file_in SET received_at = now() - interval '401 days';
                UPDATE bank_mandate SET revoked_at = now() - interval '401 days'""");
        world.text(forget);
        assertThat(world.text(FILES)).isEqualTo("none");
        assertThat(world.text(MANDATE)).as("its payments are still here").isEqualTo("t");
        world.execute("SET session_replication_role = replica; DELETE FROM payment_attempt");
        assertThat(world.text(forget)).isEqualTo("1");
        assertThat(world.text(MANDATE)).isEqualTo("f");
        assertThat(world.text(forget)).isEqualTo("0");
    }

    /** The bank's items stay when their payment is forgotten. The old one is no answer about the new payment. */
    @Test
    @Tag("proof")
    void a_debit_under_a_key_that_was_forgotten_and_is_used_again_goes_to_the_bank() {
        world.startCharge();
        String payment = world.pay("order-1", world.mandate("m1"), 1_299);
        String state = "SELECT state FROM operation_state WHERE operation_id = '%s'".formatted(payment);
        until(state, "succeeded");
        until("SELECT count(*) FROM outbox", "0");
        world.execute("""
                SET session_replication_role = replica;
                DELETE FROM psp_observation; DELETE FROM payment_attempt; DELETE FROM waiting; DELETE FROM operation_state;
                DELETE FROM operation; UPDATE bank_batch_item SET collected_at = now() - interval '500 days'""");

        assertThat(world.pay("order-1", "mandate_m1", 1_299)).isEqualTo(payment);
        until(state, "succeeded");
        assertThat(world.text("SELECT count(*) FROM bank_line WHERE kind = 'booked' AND amount = 1299")).isEqualTo("2");
    }

    @Test
    void a_mandate_that_nothing_used_for_36_months_has_lapsed() {
        world.mandate("m1");
        world.execute("SET session_replication_role = replica; UPDATE bank_mandate SET created_at = now() - interval '37 months'");
        world.text("SELECT forget_bank_files(1000)");
        assertThat(world.text("SELECT revoked_at IS NOT NULL FROM bank_mandate")).isEqualTo("t");
    }

    @Test
    void neither_an_account_nor_a_files_bytes_are_removed_in_another_way_or_too_early() {
        world.mandate("m1");
        world.execute("INSERT INTO bank_file_part VALUES ('out/CO-1', 0, '\\x01')");
        assertThatThrownBy(() -> world.execute("UPDATE bank_mandate SET sealed_debtor = ''")).hasMessageContaining("only erased");
        assertThatThrownBy(() -> world.execute("DELETE FROM bank_file_part")).hasMessageContaining("only erased");
    }

    @Test
    void what_is_to_go_to_an_erased_account_is_set_aside_unsent() {
        world.collected(world.mandate("m1"), 1_299, 2);
        world.execute("SELECT set_config('chargeonce.erasing', 'on', false); UPDATE bank_mandate SET sealed_debtor = ''");
        until("SELECT count(*) FROM bank_batch_item WHERE fenced AND note LIKE '%erased or forgotten'", "2");
        assertThat(world.text("SELECT count(*) FROM bank_batch")).isEqualTo("0");
    }
}
