// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.finding.Invariant;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Disputes as the PSP's ledger, the rows and the topic tell of them. */
class DisputeChecksTest {

    private final Sample sample = new Sample();
    private final World world = sample.world;

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    private void row(String stage, String funds, int revision) {
        world.sql("""
                INSERT INTO dispute (psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, funds_rank,
                                     refundable, answered, revision, changed_at)
                VALUES ('stripe', 'du_1', '%s', 1299, 'EUR', 'fraudulent', '%s', 1, false, '%s', 1, false, false, %d, '%s')
                """.formatted(sample.charged, stage, funds, revision, Sample.at(100)));
    }

    private void event(String stage, String funds, int revision) {
        world.send("disputes", "stripe/du_1", """
                {"stage":"%s","funds":"%s","revision":%d,"changed_at":"%s"}""".formatted(stage, funds, revision, Sample.at(100)));
    }

    private void atRest() {
        world.recovery = Optional.of(new Recovery(World.START, Duration.ofSeconds(1), 0, 0, false, List.of()));
    }

    @Test
    void a_dispute_of_which_ledger_row_and_topic_say_the_same_is_in_balance() {
        world.disputed("du_1", sample.charged, 1299, "lost", "taken");
        event("lost", "taken", 2);
        event("opened", "taken", 1);
        row("lost", "taken", 2);
        atRest();
        assertThat(world.check().violations()).isEmpty();
        world.shares = 2;
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void a_dispute_that_only_the_psp_knows_is_lost_when_all_has_come_to_rest() {
        world.disputed("du_1", sample.charged, 1299, "opened", "taken");
        assertThat(world.check().violations()).as("its webhook may be on its way").isEmpty();
        atRest();
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
    }

    @Test
    void a_dispute_that_is_kept_until_its_payment_is_known_says_what_all_its_messages_say_together() {
        world.disputed("du_1", sample.charged, 1299, "lost", "taken");
        kept("n1", "LOST", 71, "");
        kept("n2", "OPENED", 40, ", \"funds\":\"TAKEN\", \"funds_rank\":40");
        atRest();
        assertThat(world.check().violations()).isEmpty();
        world.sql("DELETE FROM unmatched_notice WHERE notice_id = 'n1'");
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
    }

    private void kept(String notice, String stage, int rank, String funds) {
        world.sql("""
                INSERT INTO unmatched_notice (psp, notice_id, psp_key, gives_back, outcome, dispute)
                VALUES ('stripe', '%s', 'k', false, 'disputed', '{"reference":"du_1","stage":"%s","stage_rank":%d%s}')
                """.formatted(notice, stage, rank, funds));
    }

    @Test
    void a_row_that_stands_at_another_stage_than_its_psp_says_is_found() {
        world.disputed("du_1", sample.charged, 1299, "lost", "taken");
        event("opened", "taken", 1);
        row("opened", "taken", 1);
        assertThat(world.check().violations()).as("a webhook may be on its way").isEmpty();
        atRest();
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
    }

    @Test
    void a_row_about_another_amount_or_payment_is_found() {
        world.disputed("du_1", sample.charged, 1200, "opened", "taken");
        event("opened", "taken", 1);
        row("opened", "taken", 1);
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
        world.sql("UPDATE dispute SET amount = 1200, payment_id = '%s'".formatted(sample.retried));
        world.breaks(Invariant.DISPUTES_AGREE, sample.retried);
    }

    @Test
    void a_row_of_which_no_psp_knows_is_found() {
        event("opened", "taken", 1);
        row("opened", "taken", 1);
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
    }

    @Test
    void the_topic_has_the_last_state_of_each_row_unless_that_is_staged() {
        world.disputed("du_1", sample.charged, 1299, "opened", "taken");
        row("opened", "taken", 1);
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
        event("opened", "not_taken", 1);
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
        world.sql("UPDATE dispute SET revision = 2");
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
        world.sql("INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, '%s.disputes', 'stripe/du_1', '', '{}')"
                .formatted(world.prefix));
        assertThat(world.check().violations()).isEmpty();
        world.sql("DELETE FROM outbox");
        event("opened", "taken", 3);
        world.breaks(Invariant.DISPUTES_AGREE, sample.charged);
    }

    @Test
    void an_event_about_a_dispute_without_a_row_is_found() {
        event("opened", "taken", 1);
        assertThat(world.check().violations()).singleElement().asString().startsWith("disputes-agree").contains("stripe/du_1");
    }

    @Test
    void more_than_was_captured_goes_back_by_a_refund_and_a_dispute_only_with_an_incident() {
        String refund = sample.refund(sample.charged, "", 300);
        world.moved(0, "refund", sample.charged, 300, "eur", "r1", refund);
        world.disputed("du_1", sample.charged, 1299, "opened", "taken");
        event("opened", "taken", 1);
        row("opened", "taken", 1);
        world.breaks(Invariant.REFUNDS, sample.charged, "over_refunded");
        world.sql("""
                INSERT INTO audit_record (actor, action, resource_type, resource_id, data)
                VALUES ('charge', 'incident.refunded_too_much', 'refund', '%s', '{}')""".formatted(refund));
        assertThat(world.check().violations()).isEmpty();
        world.sql("DELETE FROM audit_record WHERE action = 'incident.refunded_too_much'", "UPDATE dispute SET funds = 'returned'");
        event("opened", "returned", 1);
        assertThat(world.check().violations()).extracting(violation -> violation.invariant()).doesNotContain(Invariant.REFUNDS);
    }
}
