// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.payment.PspKey;
import io.chargeonce.reconcile.report.Report;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.bank.BankAnswers;
import io.chargeonce.sandbox.bank.ReadFile;
import io.chargeonce.settlement.BankSaid;
import io.chargeonce.settlement.SettlementKeys;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bank compared with our rows: by what bank-files has read, and by a statement that a person has. */
class BankReconciliationTest {

    private static final Duration AT_ONCE = Duration.ofHours(1);
    private static final Instant NOW = Instant.now();
    private static final LocalDate YESTERDAY = LocalDate.ofInstant(NOW, ZoneOffset.UTC).minusDays(1);
    private static final SettlementKeys KEYS = SettlementKeys.of(Optional.of(new Secret("k".repeat(32))));
    private static Books books;

    @TempDir
    private Path folder;
    private int references;

    @BeforeAll
    static void open() {
        books = new Books();
    }

    @AfterAll
    static void close() {
        books.close();
    }

    @BeforeEach
    void empty() {
        books.forget();
        books.execute("""
                SET session_replication_role = replica;
                TRUNCATE bank_line, bank_file_in, bank CASCADE;
                INSERT INTO bank (bank, next_cutoff, answer_within_s) VALUES ('bank', now(), 300);
                INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size, message, message_id)
                VALUES (1, 'bank', 'camt.xml', sha256(''), 1, 'camt.053', 'S1');
                RESET session_replication_role
                """);
    }

    private String reference() {
        return "BK" + ++references;
    }

    /** As bank-files writes it. */
    private void read(String kind, String key, long amount, String currency, boolean credit, String reference, String state) {
        read(kind, key, amount, currency, credit, reference, state, YESTERDAY);
    }

    private void read(String kind, String key, long amount, String currency, boolean credit, String reference, String state,
                      LocalDate on) {
        var said = new BankSaid("bank", kind, key, "" + amount, currency, "" + credit, "", reference, on.toString());
        books.execute("""
                SET session_replication_role = replica;
                INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, code, reference, happened_on, mark, state)
                VALUES (1, 'bank', '%s', '%s', %d, '%s', %s, '', '%s', '%s', decode('%s', 'hex'), '%s');
                RESET session_replication_role
                """.formatted(kind, key, amount, currency, credit, reference, on,
                HexFormat.of().formatHex(KEYS.mark(said).orElseThrow()), state));
    }

    private List<String> fetched(boolean apply) {
        Instant from = NOW.minus(3, ChronoUnit.DAYS);
        return findings(BankSource.between(books.database, KEYS, "bank", from, NOW), from, apply);
    }

    private List<String> findings(Source source, Instant from, boolean apply) {
        Reconciliation.Result result = new Reconciliation(books.database, KEYS).run(
                new Reconciliation.Request("bank", Optional.of(source), Optional.of(from), Optional.of(NOW), AT_ONCE, apply, 100));
        return result.totals().sums().stream()
                .map(sum -> "%s %d %s %d/%d".formatted(sum.finding().tag(), sum.items(), sum.currency(), sum.expected(), sum.booked()))
                .toList();
    }

    @ParameterizedTest(name = "{0} here, {1} {2} {3} {4} read: {5}")
    @CsvSource(textBlock = """
            succeeded,       booked,   1299, EUR, true,  agrees 1 EUR 1299/1299
            succeeded,       booked,   1300, EUR, true,  over 1 EUR 1299/1300
            succeeded,       booked,   1200, EUR, true,  under 1 EUR 1299/1200
            succeeded,       booked,   1299, CHF, true,  currency 1 CHF 0/1299
            succeeded,       booked,   1299, EUR, false, strange 1 EUR 1299/1299
            unknown,         booked,   1299, EUR, true,  resolves 1 EUR 1299/1299
            failed_definite, booked,   1299, EUR, true,  contradicts 1 EUR 1299/1299
            succeeded,       returned, 1299, EUR, false, under 1 EUR 1299/-1299
            """)
    void one_line_about_one_debit(String state, String kind, long amount, String currency, boolean credit, String finding) {
        read(kind, books.charge("order-1", "bank", state).value(), amount, currency, credit, reference(), "taken");
        assertThat(fetched(true)).contains(finding);
    }

    @Test
    void a_success_that_the_bank_never_booked_is_missing() {
        books.charge("order-1", "bank", "succeeded");
        assertThat(fetched(false)).containsExactly("missing 1 EUR 1299/0");
    }

    @Test
    void the_same_booking_in_a_notification_and_a_statement_is_one_and_another_reference_is_a_second() {
        String key = books.charge("order-1", "bank", "succeeded").value();
        read("booked", key, 1299, "EUR", true, "BK-1", "taken");
        read("booked", key, 1299, "EUR", true, "BK-1", "repeated");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/1299");
        read("booked", key, 1299, "EUR", true, "BK-2", "unmatched");
        assertThat(fetched(true)).containsExactly("duplicate 1 EUR 1299/2598");
        assertThat(books.count("FROM settlement_line")).isEqualTo(2);
    }

    /** Some banks give their reference in the statement alone. */
    @ParameterizedTest
    @CsvSource({"'', BK-1", "BK-1, ''"})
    void a_booking_that_is_told_of_with_and_without_its_reference_is_one_on_every_night(String first, String second) {
        String key = books.charge("order-1", "bank", "succeeded").value();
        read("booked", key, 1299, "EUR", true, first, "taken");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/1299");
        read("booked", key, 1299, "EUR", true, second, "repeated");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/1299");
    }

    @Test
    void a_debit_that_the_bank_took_back_agrees_once_its_return_is_on_record_here() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("booked", key.value(), 1299, "EUR", true, reference(), "taken");
        read("returned", key.value(), 1299, "EUR", false, reference(), "taken");
        assertThat(fetched(false)).containsExactly("under 1 EUR 1299/0");
        onRecord(key, "return");
        assertThat(fetched(false)).containsExactly("agrees 1 EUR 0/0");
    }

    private static void onRecord(PspKey key, String kind) {
        books.execute("""
                SET session_replication_role = replica;
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                                       payment_method, charge_within_s)
                VALUES ('attempt-%1$s-%3$s', '%2$s', '%3$s', '%1$s', 'acme', '%1$s', 1299, 'EUR', 'mandate_1', 0);
                RESET session_replication_role
                """.formatted(key, Books.payment("order-1").value(), kind));
    }

    @Test
    void a_return_on_record_here_that_the_bank_never_booked_is_a_difference() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("booked", key.value(), 1299, "EUR", true, reference(), "taken");
        onRecord(key, "return");
        assertThat(fetched(true)).containsExactly("over 1 EUR 0/1299");
    }

    @Test
    void a_debit_that_was_booked_again_after_its_return_is_a_difference() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("booked", key.value(), 1299, "EUR", true, reference(), "taken");
        read("returned", key.value(), 1299, "EUR", false, reference(), "taken");
        onRecord(key, "return");
        read("booked", key.value(), 1299, "EUR", true, reference(), "unmatched");
        assertThat(fetched(true)).containsExactly("duplicate 1 EUR 0/1299");
    }

    @Test
    void a_return_that_no_statement_here_has_yet_is_no_difference_once_bank_files_has_read_it() throws IOException {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("returned", key.value(), 1299, "EUR", false, reference(), "taken");
        onRecord(key, "return");
        assertThat(findings(statement(booked(key, "12.99")), NOW.minus(3, ChronoUnit.DAYS), false))
                .containsExactly("not_yet 1 EUR 0/1299");
    }

    /** Payers may take a debit back for weeks. */
    @ParameterizedTest
    @CsvSource({"30, 1", "2, -30"})
    void a_window_that_cuts_between_a_booking_and_its_return_has_both(int bookedBefore, int returnedBefore) {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("booked", key.value(), 1299, "EUR", true, reference(), "taken", YESTERDAY.minusDays(bookedBefore));
        read("returned", key.value(), 1299, "EUR", false, reference(), "taken", YESTERDAY.minusDays(returnedBefore));
        onRecord(key, "return");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 0/0");
    }

    @Test
    void a_refund_by_transfer_is_compared_the_other_way() {
        books.charge("order-1", "elsewhere", "succeeded");
        PspKey refund = books.refund("order-1", "r1", "bank", "succeeded", 500);
        read("booked", refund.value(), 500, "EUR", false, reference(), "taken");
        assertThat(fetched(false)).containsExactly("agrees 1 EUR 500/500");
        read("returned", refund.value(), 500, "EUR", true, reference(), "unmatched");
        assertThat(fetched(false)).containsExactly("under 1 EUR 500/0");
    }

    /** A session's time zone is the one of the machine on which the command is typed. */
    @Test
    void a_booking_without_a_day_and_a_reference_is_one_wherever_it_is_compared() {
        String key = books.charge("order-1", "bank", "succeeded").value();
        read("booked", key, 1299, "EUR", true, "", "taken");
        books.execute("""
                SET session_replication_role = replica;
                UPDATE bank_file_in SET received_at = '%sT23:30:00Z';
                UPDATE bank_line SET happened_on = NULL, mark = NULL;
                RESET session_replication_role
                """.formatted(YESTERDAY));
        TimeZone here = TimeZone.getDefault();
        for (String zone : List.of("UTC", "Asia/Tokyo")) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            try (Database elsewhere = Database.openForCommand(books.asReconciler(), "chargeonce_reconciler", "")) {
                Instant from = NOW.minus(3, ChronoUnit.DAYS);
                new Reconciliation(elsewhere, SettlementKeys.NONE).run(new Reconciliation.Request("bank", Optional.of(
                        BankSource.between(elsewhere, SettlementKeys.NONE, "bank", from, NOW)), Optional.of(from), Optional.of(NOW),
                        AT_ONCE, true, 100));
            } finally {
                TimeZone.setDefault(here);
            }
        }
        assertThat(books.count("FROM settlement_line")).isEqualTo(1);
    }

    @Test
    void money_of_a_stranger_is_strange_until_a_person_has_closed_it() {
        read("booked", "INVOICE 4711", 5000, "EUR", true, reference(), "unmatched");
        assertThat(fetched(false)).containsExactly("strange 1 EUR 0/5000");
        books.execute("UPDATE bank_line SET state = 'closed'");
        assertThat(fetched(false)).isEmpty();
    }

    @Test
    void a_line_that_bank_files_has_not_marked_is_no_proof() {
        String key = books.charge("order-1", "bank", "succeeded").value();
        read("booked", key, 1299, "EUR", true, reference(), "taken");
        books.execute("SET session_replication_role = replica; UPDATE bank_line SET reference = 'another'");
        assertThat(fetched(true)).containsExactly("missing 1 EUR 1299/0", "unreadable 1  0/0");
        assertThat(books.count("FROM settlement_line")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"BK-1, '', BK-2", "'', BK-1, BK-2", "BK-1, BK-2, ''"})
    void a_booking_without_a_reference_hides_no_second_one(String first, String second, String third) {
        String key = books.charge("order-1", "bank", "succeeded").value();
        for (String reference : List.of(first, second, third)) {
            read("booked", key, 1299, "EUR", true, reference, "taken");
        }
        assertThat(fetched(true)).containsExactly("duplicate 1 EUR 1299/2598");
    }

    @Test
    void what_a_person_has_closed_is_no_difference_any_more_also_if_it_was_recorded_before() {
        read("booked", "INVOICE 4711", 5000, "EUR", true, reference(), "unmatched");
        assertThat(fetched(true)).containsExactly("strange 1 EUR 0/5000");
        books.execute("UPDATE bank_line SET state = 'closed'");
        assertThat(fetched(true)).isEmpty();
    }

    @Test
    void a_payment_whose_only_booking_a_person_has_closed_is_not_missing_once_the_booking_was_recorded() {
        read("booked", books.charge("order-1", "bank", "succeeded").value(), 1299, "EUR", true, "BK-1", "unmatched");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/1299");
        books.execute("UPDATE bank_line SET state = 'closed'");
        assertThat(fetched(true)).isEmpty();
    }

    @Test
    void a_booking_that_was_closed_hides_none_that_came_later() {
        String key = books.charge("order-1", "bank", "succeeded").value();
        read("booked", key, 1299, "EUR", true, "", "closed");
        read("booked", key, 1299, "EUR", true, "BK-1", "taken");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/1299");
    }

    @Test
    void a_booking_of_the_banks_next_day_is_not_missing() {
        String key = books.charge("order-1", "bank", "succeeded").value();
        read("booked", key, 1299, "EUR", true, "BK-1", "taken", YESTERDAY.plusDays(3));
        assertThat(fetched(true)).isEmpty();
    }

    @Test
    void a_statement_agrees_with_a_notification_that_had_no_reference() throws IOException {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("booked", key.value(), 1299, "EUR", true, "", "taken");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/1299");
        assertThat(findings(statement(booked(key, "12.99")), NOW.minus(3, ChronoUnit.DAYS), true))
                .containsExactly("agrees 1 EUR 1299/1299");
    }

    @Test
    void a_booking_that_does_not_say_when_it_was_cannot_be_read() throws IOException {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        String timeless = booked(key, "12.00").replaceAll("<BookgDt>.*?</BookgDt>", "");
        assertThat(findings(statement(timeless), NOW.minus(3, ChronoUnit.DAYS), true))
                .containsExactly("missing 1 EUR 1299/0", "unreadable 1  0/0");
    }

    @Test
    void a_second_debit_that_its_bank_took_back_before_our_reversal_agrees() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("booked", key.value(), 1299, "EUR", true, reference(), "taken");
        read("returned", key.value(), 1299, "EUR", false, reference(), "taken");
        onRecord(key, "reversal");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/0");
    }

    @Test
    void two_strangers_in_one_entry_are_two_and_no_line_was_altered() {
        read("booked", "NOTPROVIDED", 5000, "EUR", true, "BK-1", "unmatched");
        read("booked", "NOTPROVIDED", 6000, "EUR", true, "BK-1", "unmatched");
        assertThat(fetched(true)).containsExactly("strange 2 EUR 0/11000");
    }

    private Source statement(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("statement.xml"), text);
        return new Source.OfFile(file, Report.Format.usual("bank").report("bank"));
    }

    private String booked(PspKey key, String amount) {
        var item = new ReadFile.Item("pay_1", key.value(), new BigDecimal(amount), "EUR", "mandate_1", "");
        return BankAnswers.bookings(NOW.minus(1, ChronoUnit.DAYS), "S2", true,
                List.of(new BankAnswers.Booking(item, true, "BK-9", "", BigDecimal.ZERO)));
    }

    @Test
    void a_statement_that_a_person_has_says_the_same_as_the_files_that_came() throws IOException {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        read("booked", key.value(), 1299, "EUR", true, "BK-9", "taken");
        assertThat(fetched(true)).containsExactly("agrees 1 EUR 1299/1299");
        assertThat(findings(statement(booked(key, "12.99")), NOW.minus(3, ChronoUnit.DAYS), true))
                .containsExactly("agrees 1 EUR 1299/1299");
        assertThat(books.count("FROM settlement_line")).isEqualTo(1);
    }

    @Test
    void of_a_statement_that_is_cut_off_nothing_is_recorded() throws IOException {
        PspKey key = books.charge("order-1", "bank", "unknown");
        String whole = booked(key, "12.99");
        Source cut = statement(whole.substring(0, whole.length() - 20));
        assertThatThrownBy(() -> findings(cut, NOW.minus(3, ChronoUnit.DAYS), true)).isInstanceOf(Report.WrongFormat.class)
                .hasMessageContaining("cut off");
        assertThat(books.count("FROM settlement_line")).isZero();
        assertThat(findings(statement(whole), NOW.minus(3, ChronoUnit.DAYS), true)).containsExactly("resolves 1 EUR 1299/1299");
        assertThat(books.count("FROM settlement_line WHERE due_at IS NOT NULL AND mark IS NOT NULL")).isEqualTo(1);
    }

    @Test
    void a_status_report_is_no_statement() throws IOException {
        Source status = statement(BankAnswers.status(NOW, "P1", "CO-1", "ACCP", "", List.of(), List.of()));
        assertThatThrownBy(() -> findings(status, NOW.minus(3, ChronoUnit.DAYS), false)).isInstanceOf(Report.WrongFormat.class)
                .hasMessageContaining("pain.002");
    }
}
