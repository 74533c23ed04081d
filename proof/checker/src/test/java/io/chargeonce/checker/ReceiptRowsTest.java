// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.evidence.OurReceipts;
import io.chargeonce.checker.finding.Invariant;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Receipts that are lost, doubled, misdirected or about nothing are found. */
class ReceiptRowsTest {

    private final Sample sample = new Sample();
    private final World world = sample.world;

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    private void receipt(String id, String operation, String kind) {
        world.sql("INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind) SELECT %s, '%s', '%s', 'acme', '%s'"
                .formatted(id, operation, operation, kind));
    }

    private static String idFor(String operation, String recipient) {
        return "'rcp_' || left(encode(sha256(convert_to('%s/%d %s', 'UTF8')), 'hex'), 32)".formatted(operation,
                World.START.getEpochSecond() / Duration.ofDays(45).toSeconds(), recipient);
    }

    @Test
    void one_for_each_success_with_an_address_and_none_for_what_has_no_address() {
        world.ourReceipts = Optional.of(new OurReceipts(Instant.EPOCH, true));
        world.sql("UPDATE operation SET receipt_email = 'Ann@example.com' WHERE operation_id IN ('%s', '%s')".formatted(sample.charged,
                sample.declined));
        receipt(idFor(sample.charged, "ann@example.com"), sample.charged, "charge");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void a_receipt_that_was_lost() {
        world.ourReceipts = Optional.of(new OurReceipts(Instant.EPOCH, true));
        world.sql("UPDATE operation SET receipt_email = 'ann@example.com' WHERE operation_id = '" + sample.charged + "'",
                "UPDATE operation_state SET settled_at = now() WHERE operation_id = '" + sample.charged + "'");
        assertThat(world.check().violations()).filteredOn(found -> found.invariant() == Invariant.RECEIPTS_AGREE).singleElement()
                .satisfies(found -> assertThat(found.subject()).contains(sample.charged));
    }

    @Test
    void one_that_may_still_come_is_lost_once_later_ones_are_there_and_one_from_before_is_none_of_ours() {
        world.ourReceipts = Optional.of(new OurReceipts(Instant.EPOCH, false));
        world.sql("UPDATE operation SET receipt_email = 'ann@example.com' WHERE operation_id IN ('%s', '%s')".formatted(sample.charged,
                sample.retried),
                "UPDATE operation_state SET settled_at = now() - interval '1 hour' WHERE operation_id = '"
                        + sample.charged + "'");
        assertThat(world.check().violations()).filteredOn(found -> found.invariant() == Invariant.RECEIPTS_AGREE).isEmpty();
        receipt(idFor(sample.retried, "ann@example.com"), sample.retried, "charge");
        assertThat(world.check().violations()).filteredOn(found -> found.invariant() == Invariant.RECEIPTS_AGREE).singleElement()
                .satisfies(found -> assertThat(found.subject()).contains(sample.charged));
        world.ourReceipts = Optional.of(new OurReceipts(Instant.now(), false));
        assertThat(world.check().violations()).filteredOn(found -> found.invariant() == Invariant.RECEIPTS_AGREE).isEmpty();
    }

    @Test
    void a_receipt_of_what_did_not_succeed() {
        world.sql("UPDATE operation SET receipt_email = 'ann@example.com' WHERE operation_id = '" + sample.declined + "'");
        receipt(idFor(sample.declined, "ann@example.com"), sample.declined, "charge");
        world.breaks(Invariant.RECEIPTS_AGREE, sample.declined);
    }

    @Test
    void a_receipt_to_another_recipient() {
        world.sql("UPDATE operation SET receipt_email = 'ann@example.com' WHERE operation_id = '" + sample.charged + "'");
        receipt(idFor(sample.charged, "eve@example.com"), sample.charged, "charge");
        world.breaks(Invariant.RECEIPTS_AGREE, sample.charged);
    }

    @Test
    void two_receipts_of_one_success() {
        world.sql("UPDATE operation SET receipt_email = 'ann@example.com' WHERE operation_id = '" + sample.charged + "'",
                "ALTER TABLE receipt DROP CONSTRAINT receipt_operation_id_kind_key, DROP CONSTRAINT receipt_pkey");
        receipt(idFor(sample.charged, "ann@example.com"), sample.charged, "charge");
        receipt(idFor(sample.charged, "ann@example.com"), sample.charged, "charge");
        world.breaks(Invariant.RECEIPTS_AGREE, sample.charged);
    }

    @Test
    void a_receipt_that_waits_although_its_address_was_erased() {
        world.sql("UPDATE operation SET receipt_email = '[erased]' WHERE operation_id = '" + sample.charged + "'");
        receipt(idFor(sample.charged, "ann@example.com"), sample.charged, "charge");
        world.breaks(Invariant.RECEIPTS_AGREE, sample.charged);
        world.sql("UPDATE receipt SET state = 'sent', ended_at = now()");
        assertThat(world.check().violations()).isEmpty();
    }
}
