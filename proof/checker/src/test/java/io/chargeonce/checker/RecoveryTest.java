// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is expected of a pipeline that is well, or well again. */
class RecoveryTest {

    private final Sample sample = new Sample();
    private final World world = sample.world;

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    private void wellSince(Instant time, URI... services) {
        wellSince(time, 0, 0, services);
    }

    private void wellSince(Instant time, long mishaps, long copies, URI... services) {
        world.recovery = Optional.of(new Recovery(time, Duration.ofSeconds(1), mishaps, copies, false, List.of(services)));
    }

    @Test
    void never_early_nor_late_while_all_is_well() {
        wellSince(World.START);
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE payment_attempt SET sent_at = '" + Sample.at(9) + "', decided_at = '" + Sample.at(10) + "' WHERE sequence = 2");
        assertThat(world.check().violations()).extracting(Violation::invariant).containsExactly(Invariant.NEVER_EARLY);
        wellSince(World.START.plusSeconds(8));
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void alive_after_heal_nothing_is_under_way_any_more() {
        String waiting = sample.accept("waiting", "accepted", 1, 0);
        wellSince(World.START);
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::toString).containsExactlyInAnyOrder(
                "alive-after-heal: 1 records are above the offsets that their consumers have committed",
                "alive-after-heal: " + waiting + " is still accepted at step 1");
        assertThat(verdict.timelines()).containsKey(waiting);
    }

    @Test
    void alive_after_heal_no_transaction_is_left_open() throws SQLException {
        wellSince(World.START);
        try (var connection = world.connect(); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT 1");
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> world.check().kind() == CheckVerdict.Kind.BROKEN);
            assertThat(world.check().violations()).extracting(Violation::toString).singleElement().asString()
                    .startsWith("alive-after-heal: a transaction of backend").contains("idle in transaction");
        }
    }

    @Test
    void bounded_a_repeated_record_needs_a_fault_that_explains_it() {
        sample.request("requests", sample.charged, "charged", 1, 1299, "1", Sample.at(0));
        world.commitOffsets();
        for (int i = 0; i < 2; i++) {
            wellSince(World.START, i, 1 - i);
            assertThat(world.check().violations()).isEmpty();
        }
        wellSince(World.START);
        assertThat(world.check().violations()).extracting(Violation::invariant).containsExactly(Invariant.BOUNDED);
    }

    @Test
    void bounded_what_kafka_has_not_lost_is_not_staged_again() {
        sample.request("requests", sample.charged, "charged", 1, 1299, "1", Sample.at(3));
        world.commitOffsets();
        wellSince(World.START, 9, 9);
        assertThat(world.check().violations()).as("it may have been lost").isEmpty();
        world.recovery = Optional.of(new Recovery(World.START, Duration.ofSeconds(1), 9, 9, true, List.of()));
        world.breaks(Invariant.BOUNDED, sample.charged);
    }

    @Test
    void bounded_a_record_that_is_only_sent_again_was_not_staged_again() {
        sample.request("requests", sample.charged, "charged", 1, 1299, "1", Sample.at(0));
        world.commitOffsets();
        world.recovery = Optional.of(new Recovery(World.START, Duration.ofSeconds(1), 9, 9, true, List.of()));
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void psp_agrees_an_attempt_that_failed_for_certain_never_succeeds() {
        world.sql("UPDATE payment_attempt SET failed_definite = true WHERE operation_id = '" + sample.charged + "'");
        assertThat(world.check().violations()).as("a PSP may contradict itself").isEmpty();
        wellSince(World.START);
        world.breaks(Invariant.PSP_AGREES, sample.charged);
        sayNotCharged(sample.charged);
        assertThat(world.check().violations()).isEmpty();
    }

    private void sayNotCharged(String payment) {
        world.sql("""
                INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, run, approved_by, state)
                VALUES ('%s', '%s', 2, 'not_charged', 'not in its books', 'run_1', 'anna', 'settled')
                """.formatted(Sample.key(payment, 1), payment));
    }

    @Test
    void one_capture_a_reversal_needs_a_finding_that_explains_the_second_capture() {
        world.moved(1, "capture", sample.retried, 1299, "eur", "another-key", "");
        sample.giveBack("reversal", "attempt-another-key-reversal", sample.retried, "another-key", 1299);
        world.moved(1, "refund", sample.retried, 1299, "eur", "r0", "attempt-another-key-reversal");
        wellSince(World.START);
        world.breaks(Invariant.ONE_CAPTURE, sample.retried);
        sayNotCharged(sample.retried);
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void bounded_heap_descriptors_threads_and_buffers_by_what_services_tell() {
        URI well = world.telling("""
                jvm_gc_live_data_size_bytes{service="s"} 1.0E7
                jvm_gc_max_data_size_bytes{service="s"} 1.0E8
                process_files_open_files{service="s"} 90.0
                jvm_threads_live_threads{service="s"} 40.0
                chargeonce_loop_fetched_while_full_total{loop="l"} 0.0
                """);
        URI leaking = world.telling("""
                jvm_gc_live_data_size_bytes{service="s"} 9.9E7
                jvm_gc_max_data_size_bytes{service="s"} 1.0E8
                process_files_open_files{service="s"} 60000.0
                jvm_threads_live_threads{service="s"} 9000.0
                chargeonce_loop_fetched_while_full_total{loop="l"} 3.0
                """);
        wellSince(World.START, well);
        assertThat(world.check().violations()).isEmpty();
        wellSince(World.START, well, leaking);
        assertThat(world.check().violations()).hasSize(4).extracting(Violation::invariant).containsOnly(Invariant.BOUNDED);
    }

    @Test
    void no_card_data_in_what_services_tell_of_themselves() {
        world.planted.add("4242424242424242");
        wellSince(World.START, world.telling("charges_total{card=\"4000000000000002\"} 1.0\n"));
        assertThat(world.check().violations()).isEmpty();
        wellSince(World.START, world.telling("charges_total{card=\"4242424242424242\"} 1.0\n"));
        assertThat(world.check().violations()).extracting(Violation::invariant).containsExactly(Invariant.NO_CARD_DATA);
    }
}
