// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.TooLargeRecord;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.payment.OperationState;
import io.chargeonce.vault.Opened;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PoisonTest {

    /** The guard looks at 200 records. */
    private static final int MORE_THAN_A_FLOOD = 210;

    private static EngineFixture books;
    private static EngineFixture.Process process;
    private static long offset;

    @BeforeAll
    static void open() {
        books = new EngineFixture();
        process = books.process(new FakePsp());
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    static Stream<Arguments> poison() {
        String key = "pay_aaaaaaaaaaaaaaaaaaaaaaaaaa";
        String good = """
                {"type":"payment.request","version":1,"payment_id":"%1$s","operation":"charge","operation_id":"%1$s","step":1,\
                "merchant":"acme","idempotency_key":"k","amount":1,"currency":"EUR","payment_method":"pm_card_visa"}""".formatted(key);
        return Stream.of(
                Arguments.of("empty", key, null),
                Arguments.of("empty", key, ""),
                Arguments.of("undecodable", key, "\u0000\u0001 no JSON at all"),
                Arguments.of("undecodable", key, "[".repeat(5_000)),
                Arguments.of("undecodable", key, "{\"type\":\"payment.request\",\"version\":1}"),
                Arguments.of("undecodable", key, good.replace("\"amount\":1", "\"amount\":1,\"amount\":2")),
                Arguments.of("undecodable", key, good.replace("\"amount\":1", "\"amount\":1.5")),
                Arguments.of("undecodable", key, good.replace("\"amount\":1,", "")),
                Arguments.of("undecodable", key, good + good),
                Arguments.of("wrong_topic", key, good.replace("payment.request", "payment.outcome")),
                Arguments.of("wrong_version", key, good.replace("\"version\":1", "\"version\":2")),
                Arguments.of("key_mismatch", "pay_bbbbbbbbbbbbbbbbbbbbbbbbbb", good),
                Arguments.of("key_mismatch", null, good),
                Arguments.of("oversized", key, good.replace("pm_card_visa", "x".repeat(200_000))),
                Arguments.of("unknown_payment", key, good));
    }

    @ParameterizedTest(name = "{0} #{index}")
    @MethodSource("poison")
    void poison_goes_to_the_dead_letter_queue_with_its_bytes_and_touches_nothing_else(String cause, String key, String value) {
        byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        var record = new ConsumerRecord<>(books.topics.requests(), 3, ++offset,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8), bytes);
        record.headers().add("chargeonce-step", null).add("\u0000", "\u0000".getBytes(StandardCharsets.UTF_8));

        assertThat(process.handle(record)).isInstanceOf(Verdict.Done.class);
        assertThat(process.handle(record)).isInstanceOf(Verdict.Done.class);

        String row = "FROM dead_letter WHERE source_partition = 3 AND source_offset = " + offset;
        assertThat(books.count(row)).isEqualTo(1);
        assertThat(books.count(row + " AND cause = '" + cause + "' AND operation_id IS NULL")).isEqualTo(1);
        assertThat(opened(row).value()).isEqualTo(bytes);
        assertThat(opened(row).key()).isEqualTo(record.key());
        assertThat(books.count("FROM operation")).isZero();
    }

    @Test
    void what_is_too_large_to_be_unpacked_or_kept_gets_a_letter_that_says_where_it_is_and_has_no_bytes() {
        byte[] many = new byte[2_000_000];
        process.handle(new ConsumerRecord<>(books.topics.requests(), 4, 1, many, "{}".getBytes(StandardCharsets.UTF_8)));
        process.handle(new ConsumerRecord<>(books.topics.requests(), 4, 2, null, many));
        process.handle(new TooLargeRecord(books.topics.requests(), 4, 3, 9, 0, 9_000, 250_000_000));

        for (Map.Entry<Integer, String> letter : Map.of(
                1, "undecodable: no JSON object with a type. Its 2,000,004 bytes are too many to be kept here; Kafka has them",
                2, "oversized: 2,000,000 bytes, where a request has at most 131,072. Its 2,000,002 bytes are too many to be kept here",
                9, "offsets 3 to 9 of " + books.topics.requests() + "-4: 9,000 bytes in Kafka, at least 250,000,000 unpacked").entrySet()) {
            String row = "FROM dead_letter WHERE source_partition = 4 AND cause = 'oversized' AND source_offset = " + letter.getKey();
            assertThat(books.text("SELECT message " + row)).startsWith(letter.getValue());
            assertThat(opened(row).value()).isNull();
            assertThat(opened(row).key()).isNull();
        }
        assertThat(books.count("FROM outbox WHERE octet_length(value) > 100000")).isZero();
    }

    private static FoundRecord.Content opened(String row) {
        byte[] sealed = HexFormat.of().parseHex(books.text("SELECT encode(sealed_record, 'hex') " + row));
        String place = DeadLetter.place(books.text("SELECT dead_letter_id " + row));
        return FoundRecord.Content.of(((Opened.Readable) EngineFixture.DATA_KEY.opens().open(place, sealed)).bytes());
    }

    /** As after a restore to a point in time: Kafka has records of payments that Postgres does not know any more. */
    @Test
    void records_of_forgotten_payments_are_known_as_such_hold_back_no_other_and_charge_once_they_are_sent_again() {
        var psp = new FakePsp();
        try (var guarded = books.guardedProcess(psp)) {
            String forgotten = books.accept("forgotten");
            var record = books.takeWork().getFirst();
            books.rewrite("DELETE FROM operation_state; DELETE FROM operation; DELETE FROM waiting");
            String letters = "FROM dead_letter WHERE cause = 'forgotten_payment' AND operation_id IS NULL AND state = 'dead'";
            long before = books.count(letters);
            for (int copy = 0; copy < MORE_THAN_A_FLOOD; copy++) {
                var again = new ConsumerRecord<>(record.topic(), 5, copy, record.key(), record.value());
                assertThat(guarded.handle(again)).as("no flood of dead letters").isInstanceOf(Verdict.Done.class);
            }
            assertThat(books.count(letters)).isEqualTo(before + MORE_THAN_A_FLOOD);
            assertThat(psp.calls).as("sent to the PSP").isEmpty();

            assertThat(books.accept("forgotten")).as("the same key is the same payment").isEqualTo(forgotten);
            guarded.drain();
            assertThat(books.state(forgotten)).isEqualTo(OperationState.SUCCEEDED);
            assertThat(guarded.handle(record)).as("the old record, once more").isInstanceOf(Verdict.Done.class);
            assertThat(psp.calls).hasSize(1);

            books.refund(forgotten, OptionalLong.of(100), "wrong-size");
            var refund = books.takeWork().getFirst();
            books.rewrite("DELETE FROM operation_state WHERE operation_id LIKE '%-refund-%'; DELETE FROM operation WHERE kind = 'refund'; "
                    + "DELETE FROM waiting");
            guarded.handle(refund);
            assertThat(books.count(letters + " AND message LIKE '%lost this refund%'")).isOne();
            books.refund(forgotten, OptionalLong.of(100), "wrong-size");
            guarded.drain();
            guarded.handle(refund);
            assertThat(books.refunded(forgotten)).isEqualTo(100);
        } finally {
            books.forget();
        }
    }

    /** Sent again, it would be a second charge: its payment was not lost, its retention is over. */
    @Test
    void a_record_that_is_older_than_the_retention_says_that_it_must_not_be_sent_again() {
        books.accept("long-ago");
        var record = books.takeWork().getFirst();
        books.rewrite("DELETE FROM operation_state; DELETE FROM operation; DELETE FROM waiting");
        for (int days : List.of(399, 401)) {
            var aged = new ConsumerRecord<>(record.topic(), 6, days, Instant.now().minus(Duration.ofDays(days)).toEpochMilli(),
                    TimestampType.LOG_APPEND_TIME, record.key().length, record.value().length, record.key(), record.value(),
                    record.headers(), Optional.empty());
            assertThat(process.handle(aged)).isInstanceOf(Verdict.Done.class);
        }
        String message = "SELECT message FROM dead_letter WHERE cause = 'forgotten_payment' AND source_partition = 6 AND source_offset = ";
        assertThat(books.text(message + 399)).contains("must send it again");
        assertThat(books.text(message + 401)).contains("older than 400 days", "do not send it again");
        books.forget();
    }

    @Test
    void a_card_in_poison_is_in_the_clear_in_no_row_and_on_no_topic() {
        var record = new ConsumerRecord<>(books.topics.requests(), 9, 0L, "4111111111111111".getBytes(StandardCharsets.UTF_8),
                "{\"pan\":\"4111111111111111\",\"security_code\":\"of this card\"}".getBytes(StandardCharsets.UTF_8));
        record.headers().add("card", "4111111111111111".getBytes(StandardCharsets.UTF_8));
        process.handle(record);
        // These words are long: random letters of a topic's name held the three digits of a real one by chance.
        String row = "FROM dead_letter WHERE source_partition = 9";
        assertThat(new String(opened(row).value(), StandardCharsets.UTF_8)).contains("4111111111111111");
        assertThat(new String(opened(row).headers(), StandardCharsets.UTF_8)).contains("4111111111111111");
        String id = books.text("SELECT dead_letter_id " + row);
        String sealed = books.text("SELECT encode(sealed_record, 'escape') " + row);
        String copy = books.text("SELECT convert_from(value, 'UTF8') FROM outbox WHERE record_key = '" + id + "'");
        byte[] ofTopic = PaymentJson.MAPPER.readTree(copy).at("/source/sealed").binaryValue();
        assertThat(sealed + copy + new String(ofTopic, StandardCharsets.ISO_8859_1)).doesNotContain("4111111111111111", "security_code",
                "of this card");
        assertThat(EngineFixture.DATA_KEY.opens().open(DeadLetter.place(id), ofTopic)).as("the topic has the same bytes")
                .isInstanceOf(Opened.Readable.class);
        assertThat(EngineFixture.DATA_KEY.seals().open(DeadLetter.place(id), ofTopic)).as("charge cannot read them back")
                .isInstanceOf(Opened.Closed.class);
        assertThat(EngineFixture.DATA_KEY.opens().open(DeadLetter.place("psn_another"), ofTopic)).isInstanceOf(Opened.Closed.class);
    }

    @Test
    void a_record_of_the_next_release_waits_for_a_process_that_reads_it_and_not_for_ever() {
        byte[] next = "{\"type\":\"payment.request\",\"version\":2,\"unheard_of\":true}".getBytes(StandardCharsets.UTF_8);
        Instant now = Instant.now();

        assertThat(process.handle(appended(5, now, next))).isInstanceOf(Verdict.NotBefore.class);
        assertThat(books.count("FROM dead_letter WHERE source_partition = 5")).isZero();

        assertThat(process.handle(appended(5, now.minus(Duration.ofHours(1)), next))).isInstanceOf(Verdict.Done.class);
        assertThat(process.handle(appended(5, now.plus(Duration.ofHours(1)), next))).as("a forged time").isInstanceOf(Verdict.Done.class);
        assertThat(books.count("FROM dead_letter WHERE source_partition = 5 AND cause = 'wrong_version'")).isEqualTo(2);
    }

    private ConsumerRecord<byte[], byte[]> appended(int partition, Instant at, byte[] value) {
        return new ConsumerRecord<>(books.topics.requests(), partition, ++offset, at.toEpochMilli(), TimestampType.CREATE_TIME, 0,
                value.length, new byte[0], value, new RecordHeaders(), Optional.empty());
    }

    @Test
    void poison_that_comes_all_at_once_shares_commits_and_leaves_the_connections_to_payments() {
        int count = 400;
        var atOnce = new CyclicBarrier(count);
        try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                var record =
                        new ConsumerRecord<>(books.topics.requests(), 7, (long) i, new byte[0], "no JSON".getBytes(StandardCharsets.UTF_8));
                workers.submit(() -> {
                    atOnce.await();
                    return process.handle(record);
                });
            }
        }
        assertThat(books.count("FROM dead_letter WHERE source_partition = 7")).isEqualTo(count);
        assertThat(books.count("FROM (SELECT DISTINCT died_at FROM dead_letter WHERE source_partition = 7) AS commits"))
                .isLessThan(count / 2);
    }

    @Test
    void the_largest_record_that_the_main_topic_takes_fits_the_dead_letter_topic() {
        var record = new ConsumerRecord<>(books.topics.requests(), 4, 0L, new byte[0], new byte[1024 * 1024]);
        process.handle(record);
        assertThat(books.count("FROM outbox WHERE length(value) BETWEEN 1024 * 1024 AND 2 * 1024 * 1024")).isEqualTo(1);
    }
}
