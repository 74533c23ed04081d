// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.chargeonce.console.witness.Board.Sighting;
import io.chargeonce.console.witness.ReadRecords.NextOffsets;
import io.chargeonce.console.witness.Told.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the witness reads, and what it makes of it for people. */
class ReadingTest {

    private static final Instant T = Streamed.START;

    private final Streamed witness = new Streamed();
    private final Told payment = Told.charge("pay_1", 1000, "EUR", T.minusSeconds(1));

    @AfterEach
    void close() {
        witness.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "no json", "{}", "{\"type\":\"payment.request\",\"version\":2}", "{\"type\":\"payment.outcome\",\"version\":1}",
                "[]", "{\"type\":\"payment.dead-letter\",\"version\":1,\"dead_letter_id\":\"x\"}", "\u0000\u00ff"})
    void bytes_that_it_cannot_read_are_counted_and_never_stop_it(String value) {
        for (String topic : WitnessTopology.sources(Told.TOPICS, 3)) {
            witness.take(new Message(topic, "x".getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8), Map.of(), T));
            witness.take(new Message(topic, null, value.getBytes(StandardCharsets.UTF_8), Map.of(), T));
            witness.take(new Message(topic, "x".getBytes(StandardCharsets.UTF_8), null, Map.of("chargeonce-revision", "x"), T));
        }
        witness.take(payment.requested(T));
        witness.look();
        assertThat(witness.board.sightings().stream().mapToLong(Sighting::unreadable).sum()).isEqualTo(21);
        assertThat(witness.stage("requests", "EUR").in()).isEqualTo(1);
    }

    @Test
    void headers_that_are_forged_change_no_money_and_stop_nothing() {
        Message told = payment.requested(T);
        witness.take(new Message(told.topic(), told.key(), told.value(),
                Map.of("ce_time", "+1000000000-12-31T23:59:59Z", "chargeonce-accepted-at", "never", "chargeonce-tier", "99"), T));
        witness.look();
        assertThat(witness.stage("requests", "EUR").inMoney()).isEqualTo(1000);
    }

    @Test
    void the_journey_has_each_hop_with_its_time_cause_and_place() {
        witness.take(payment.requested(T), payment.waits(1, "psp_unwell", T.plusSeconds(1)),
                payment.dies("request_refused", T.plusSeconds(7)), payment.leaves("merged", T.plusSeconds(60)),
                payment.merged(T.plusSeconds(61)), payment.succeeds(T.plusSeconds(62)));
        assertThat(witness.board.journey("pay_1")).containsExactly(
                new Hop(T, "requests", "charge/1", 0, "", "", 0, 0),
                new Hop(T.plusSeconds(1), "retry-1", "charge/2", 1, "psp_unwell", "", 0, 0),
                new Hop(T.plusSeconds(7), "dlq", "charge/dead-letter/1", 0, "request_refused", "stripe", 0, 0),
                new Hop(T.plusSeconds(60), "dlq", "charge/dead-letter/2", 0, "merged", "", 0, 1),
                new Hop(T.plusSeconds(61), "requests", "charge/4", 0, "", "", 0, 1),
                new Hop(T.plusSeconds(62), "settled", "charge/5", 0, "succeeded", "stripe", 0, 0));
        assertThat(witness.board.journey("pay_2")).isEmpty();
    }

    @Test
    void hops_of_one_moment_are_all_in_the_journey() {
        witness.take(payment.requested(T), payment.waits(1, "psp_unwell", T), payment.succeeds(T));
        assertThat(witness.board.journey("pay_1")).extracting(Hop::stage).containsExactly("requests", "retry-1", "settled");
    }

    @Test
    void a_thousand_records_of_one_moment_are_not_all_kept_and_the_next_payment_is_followed() {
        for (int n = 0; n < 1_000; n++) {
            witness.take(payment.declines("\u20ac".repeat(120), T));
        }
        assertThat(witness.board.journey("pay_1")).hasSizeBetween(100, 300);
        Told next = Told.charge("pay_2", 1000, "EUR", T);
        witness.take(next.requested(T), next.succeeds(T));
        assertThat(witness.board.journey("pay_2")).extracting(Hop::stage).containsExactly("requests", "settled");
    }

    @Test
    void journeys_are_forgotten_when_their_retention_is_over() {
        try (var shortly = new Streamed(Duration.ofHours(1))) {
            shortly.take(payment.requested(T), payment.succeeds(T.plusSeconds(1)));
            assertThat(shortly.board.journey("pay_1")).hasSize(2);
            Told later = Told.charge("pay_2", 1, "EUR", T.plus(Duration.ofHours(3)));
            shortly.take(later.requested(T.plus(Duration.ofHours(3))));
            assertThat(shortly.board.journey("pay_1")).isEmpty();
            assertThat(shortly.board.journey("pay_2")).hasSize(1);
        }
    }

    @Test
    void rates_are_counted_by_cause_psp_merchant_and_tier_with_money() {
        Told declined = Told.charge("pay_2", 50, "USD", T);
        witness.take(payment.requested(T), payment.waits(1, "psp_unwell", T.plusSeconds(1)), payment.succeeds(T.plusSeconds(9)),
                declined.requested(T), declined.declines("stolen_card", T.plusSeconds(2)));
        witness.look();
        for (Duration window : new Duration[] {Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofDays(1)}) {
            assertThat(witness.board.rates(RateBy.CAUSE, window).points())
                    .extracting(RatePoint::key, RatePoint::succeeded, RatePoint::failed)
                    .containsExactlyInAnyOrder(tuple("psp_unwell", 0L, 1L), tuple("stolen_card", 0L, 1L));
            assertThat(witness.board.rates(RateBy.PSP, window).points()).extracting(RatePoint::key, RatePoint::succeeded, RatePoint::failed)
                    .containsExactly(tuple("stripe", 1L, 1L));
            assertThat(witness.board.rates(RateBy.MERCHANT, window).points().getFirst().money())
                    .isEqualTo(Map.of("EUR", 2000L, "USD", 50L));
            assertThat(witness.board.rates(RateBy.TIER, window).points())
                    .extracting(RatePoint::key, RatePoint::succeeded, RatePoint::failed)
                    .containsExactly(tuple("0", 0L, 1L), tuple("1", 1L, 1L));
        }
        witness.pass(Duration.ofMinutes(10));
        assertThat(witness.board.rates(RateBy.PSP, Duration.ofMinutes(5)).points()).isEmpty();
        assertThat(witness.board.rates(RateBy.PSP, Duration.ofHours(1)).points()).isNotEmpty();
    }

    private static Tuple tuple(Object... values) {
        return Tuple.tuple(values);
    }

    @Test
    void rates_have_a_bounded_number_of_keys() {
        for (int i = 0; i < 200; i++) {
            Told each = Told.charge("pay_x" + i, 1, "EUR", T);
            witness.take(each.requested(T), each.declines("code_" + i, T));
        }
        witness.look();
        assertThat(witness.board.rates(RateBy.CAUSE, Duration.ofHours(1)).points().stream().map(RatePoint::key).distinct()).hasSize(51)
                .contains("other");
        assertThat(witness.board.rates(RateBy.CAUSE, Duration.ofHours(1)).points().stream().mapToLong(RatePoint::failed).sum())
                .isEqualTo(200);
    }

    @Test
    void latencies_are_told_per_hop() {
        witness.take(payment.requested(T), payment.waits(1, "psp_unwell", T.plusMillis(200)), payment.succeeds(T.plusSeconds(6)));
        witness.look();
        assertThat(witness.board.latencies()).extracting(Latency::from, Latency::to, Latency::count).containsExactly(
                tuple("accepted", "requests", 1L), tuple("requests", "retry-1", 1L), tuple("retry-1", "settled", 1L));
        assertThat(witness.board.latencies().get(1).p50Ms()).isCloseTo(200, within(20.0));
        assertThat(witness.board.latencies().get(2).p99Ms()).isCloseTo(5_800, within(600.0));
    }

    @Test
    void records_that_were_deleted_before_it_read_them_are_counted() {
        var next = new NextOffsets();
        var partition = new TopicPartition("payments.requests", 0);
        assertThat(next.read(partition, 700)).as("where history begins").isZero();
        assertThat(next.read(partition, 701)).isZero();
        assertThat(next.read(partition, 705)).isEqualTo(3);
        next.startAt(new TopicPartition("payments.requests", 1), 10);
        assertThat(next.read(new TopicPartition("payments.requests", 1), 12)).as("deleted while it was not running").isEqualTo(2);
    }
}
