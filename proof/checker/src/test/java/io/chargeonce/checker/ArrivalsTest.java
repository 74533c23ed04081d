// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What came to receivers and mailboxes is compared with what the rows say of it. */
class ArrivalsTest {

    private static final String ENDPOINT = "whe_000000000000000000000001";
    private static final String ANN = "ann@example.com";

    private final Sample sample = new Sample();
    private final World world = sample.world;
    private final Kept kept = new Kept();
    private String webhook;
    private String body;
    private String receipt;

    private static final class Kept implements ArrivalEvidence {

        private final List<Webhook> webhooks = new ArrayList<>();
        private final List<Mail> mails = new ArrayList<>();

        @Override
        public List<Webhook> webhooks() {
            return webhooks;
        }

        @Override
        public List<Mail> mails() {
            return mails;
        }

        @Override
        public int tries() {
            return 4;
        }
    }

    @BeforeEach
    void everything_was_sent_and_came() {
        world.arrivals = Optional.of(kept);
        world.sql("INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex')", """
                INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at)
                VALUES ('%s', 'acme', 'https://hooks.example/', '{*}', '2026-03-01T00:00:00Z')
                """.formatted(ENDPOINT), "SELECT stage_webhooks(ARRAY['" + sample.charged + "'])",
                "UPDATE webhook_delivery SET state = 'delivered', attempts = 1, ended_at = now()",
                "UPDATE operation SET receipt_email = '%s' WHERE operation_id = '%s'".formatted(ANN, sample.charged),
                "SELECT stage_receipts(ARRAY['" + sample.charged + "'])",
                "UPDATE receipt SET state = 'sent', attempts = 1, fence = 1, ended_at = now()");
        webhook = text("SELECT webhook_id FROM webhook_delivery");
        body = text("SELECT body FROM webhook_delivery");
        receipt = text("SELECT receipt_id FROM receipt");
        kept.webhooks.add(new ArrivalEvidence.Webhook(ENDPOINT, webhook, body, true, true));
        kept.mails.add(new ArrivalEvidence.Mail(receipt, "Ann@example.com", "You paid €12.99\nPayment: " + sample.charged));
        assertThat(world.check().violations()).isEmpty();
    }

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    private String text(String sql) {
        try (var connection = world.connect(); var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void finds(Invariant invariant, String words) {
        assertThat(world.check().violations()).filteredOn(found -> found.invariant() == invariant).extracting(Violation::sentence)
                .anyMatch(sentence -> sentence.contains(words));
    }

    private void came(String endpoint, String id, String text, boolean signed) {
        kept.webhooks.add(new ArrivalEvidence.Webhook(endpoint, id, text, signed, true));
    }

    @Test
    void the_same_webhook_twice_is_in_order() {
        came(ENDPOINT, webhook, body, true);
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void a_webhook_under_an_id_of_no_row() {
        came(ENDPOINT, "msg_other", body, true);
        finds(Invariant.WEBHOOKS_AGREE, "msg_other, which has no row");
    }

    @Test
    void a_webhook_with_another_body_at_another_endpoint_or_unsigned() {
        came(ENDPOINT, webhook, "{}", true);
        finds(Invariant.WEBHOOKS_AGREE, "another body");
        came("whe_000000000000000000000002", webhook, body, true);
        finds(Invariant.WEBHOOKS_AGREE, "came to endpoint whe_000000000000000000000002");
        came(ENDPOINT, webhook, body, false);
        finds(Invariant.WEBHOOKS_AGREE, "without a signature");
    }

    @Test
    void a_delivery_that_its_receiver_has_not_acknowledged() {
        kept.webhooks.clear();
        kept.webhooks.add(new ArrivalEvidence.Webhook(ENDPOINT, webhook, body, true, false));
        finds(Invariant.WEBHOOKS_AGREE, "its receiver has never said so");
    }

    @Test
    void a_webhook_that_is_dead_before_its_last_try() {
        world.sql("UPDATE webhook_delivery SET state = 'dead', attempts = 3, last_error = 'status_500'");
        finds(Invariant.WEBHOOKS_AGREE, "dead after 3 of 4 tries");
        world.sql("UPDATE webhook_delivery SET attempts = 4");
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE webhook_delivery SET attempts = 0, last_error = 'endpoint_disabled'");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void a_mail_under_another_id_or_to_another_recipient_or_of_what_did_not_succeed() {
        String text = "Payment: " + sample.charged + " €12.99";
        kept.mails.add(new ArrivalEvidence.Mail("rcp_other", ANN, text));
        finds(Invariant.RECEIPTS_AGREE, "mail rcp_other came");
        kept.mails.set(1, new ArrivalEvidence.Mail(receipt, "eve@example.com", text));
        finds(Invariant.RECEIPTS_AGREE, "not the receipt of a success");
        kept.mails.set(1,
                new ArrivalEvidence.Mail(RederivedId.ofReceipt(sample.declined, World.START, ANN), ANN, "Payment: " + sample.declined));
        finds(Invariant.RECEIPTS_AGREE, "not the receipt of a success");
    }

    @Test
    void a_mail_with_another_amount() {
        kept.mails.add(new ArrivalEvidence.Mail(receipt, ANN, "You paid €13.99\nPayment: " + sample.charged));
        finds(Invariant.RECEIPTS_AGREE, "another amount");
    }

    @Test
    void a_receipt_that_came_more_often_than_it_was_claimed() {
        kept.mails.add(kept.mails.getFirst());
        finds(Invariant.RECEIPTS_AGREE, "came 2 times");
        world.sql("UPDATE receipt SET attempts = 2, fence = 2");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void an_amount_that_only_contains_the_right_one() {
        kept.mails.add(new ArrivalEvidence.Mail(receipt, ANN, "You paid €112.99\nPayment: " + sample.charged));
        finds(Invariant.RECEIPTS_AGREE, "another amount");
        kept.mails.set(1, new ArrivalEvidence.Mail(receipt, ANN, "You paid €12.990\nPayment: " + sample.charged));
        finds(Invariant.RECEIPTS_AGREE, "another amount");
    }

    @Test
    void a_receipt_that_never_came_or_died_without_a_try() {
        kept.mails.clear();
        finds(Invariant.RECEIPTS_AGREE, "no mail has come");
        world.sql("UPDATE receipt SET state = 'dead', attempts = 0");
        finds(Invariant.RECEIPTS_AGREE, "dead without a try");
    }

    @Test
    void what_still_waits_is_wrong_once_all_is_well_again() {
        world.sql("UPDATE webhook_delivery SET state = 'waiting', ended_at = NULL",
                "UPDATE receipt SET state = 'waiting', ended_at = NULL");
        assertThat(world.check().violations()).isEmpty();
        world.recovery = Optional.of(new Recovery(Instant.now(), Duration.ofSeconds(10), 0, 0, true, List.of()));
        finds(Invariant.ALIVE_AFTER_HEAL, "webhook " + webhook + " still waits");
        finds(Invariant.ALIVE_AFTER_HEAL, "receipt " + receipt + " still waits");
    }
}
