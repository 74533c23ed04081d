// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.PspKey;
import io.chargeonce.reconcile.report.Entry;
import io.chargeonce.reconcile.report.Report;
import io.chargeonce.runtime.Secret;
import io.chargeonce.settlement.SettlementKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each way in which a settlement report and our attempts can differ, with the rights of the role that compares them. */
class ReconciliationTest {

    private static final Duration AT_ONCE = Duration.ofHours(1);
    private static final String BOOKED = Instant.now().minus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS).toString();
    /** So that the report covers yesterday. */
    private static final String LATER = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    private static Books books;

    @TempDir
    private Path folder;
    private final List<String> lines = new ArrayList<>();

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
        // The last line of a day on which nothing else was booked.
        PspKey last = books.charge("the-last-one", "bank", "succeeded");
        line("last", last, "captured", "12.99", "EUR", LATER);
    }

    private void line(String id, PspKey key, String moved, String amount, String currency) {
        line(id, key, moved, amount, currency, BOOKED);
    }

    private void line(String id, PspKey key, String moved, String amount, String currency, String at) {
        lines.add("%s,%s,%s,%s,%s,ref-%1$s,%6$s".formatted(id, key == null ? "" : key, moved, amount, currency, at));
    }

    private Source report() {
        try {
            Path file = folder.resolve("report.csv");
            Files.writeString(file, "id,key,moved,amount,currency,reference,booked_at\n" + String.join("\n", lines) + "\n");
            return new Source.OfFile(file, Report.Format.PLAIN.report("bank"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Reconciliation.Result reconcile(boolean apply) {
        return reconcile(apply, SettlementKeys.NONE);
    }

    private Reconciliation.Result reconcile(boolean apply, SettlementKeys keys) {
        // The test's rows are a day old, and so is the window.
        return new Reconciliation(books.database, keys).run(new Reconciliation.Request("bank", Optional.of(report()),
                Optional.of(Instant.now().minus(2, ChronoUnit.DAYS)), Optional.of(Instant.now()), AT_ONCE, apply, 100));
    }

    private static List<String> findings(Reconciliation.Result result) {
        return result.totals().sums().stream()
                .map(sum -> "%s %d %s %d/%d".formatted(sum.finding().tag(), sum.items(), sum.currency(), sum.expected(), sum.booked()))
                .toList();
    }

    @ParameterizedTest(name = "{0} here, {1} {2} {3} booked: {4}")
    @CsvSource(textBlock = """
            succeeded,       captured,   12.99, EUR, agrees 2 EUR 2598/2598
            succeeded,       captured,   13.00, EUR, over 1 EUR 1299/1300
            succeeded,       captured,   12.00, EUR, under 1 EUR 1299/1200
            succeeded,       captured,   12.99, USD, currency 1 USD 0/1299
            succeeded,       given_back, 12.99, EUR, strange 1 EUR 1299/1299
            unknown,         captured,   12.99, EUR, resolves 1 EUR 1299/1299
            in_flight,       captured,   12.99, EUR, resolves 1 EUR 1299/1299
            failed_definite, captured,   12.99, EUR, contradicts 1 EUR 1299/1299
            unknown,         captured,   12.00, EUR, under 1 EUR 1299/1200
            """)
    void one_line_about_one_attempt(String state, String moved, String amount, String currency, String finding) {
        line("line-1", books.charge("order-1", "bank", state), moved, amount, currency);
        Reconciliation.Result result = reconcile(true);
        assertThat(findings(result)).contains(finding);
        assertThat(result.totals().balanced()).isEqualTo(finding.startsWith("agrees"));
        assertThat(books.count("FROM settlement_line WHERE due_at IS NOT NULL"))
                .isEqualTo(finding.startsWith("resolves") || finding.startsWith("contradicts") ? 1 : 0);
    }

    @Test
    void what_succeeded_here_and_is_in_no_report_is_missing() {
        books.charge("order-1", "bank", "succeeded");
        books.charge("order-2", "elsewhere", "succeeded");
        assertThat(findings(reconcile(false))).containsExactly("agrees 1 EUR 1299/1299", "missing 1 EUR 1299/0");
    }

    @Test
    void what_is_too_young_to_be_in_a_report_is_not_missing() {
        books.charge("order-1", "bank", "succeeded");
        books.execute("UPDATE payment_attempt SET sent_at = now() - interval '30 minutes', decided_at = now() - interval '30 minutes' "
                + "WHERE operation_id = '" + Books.payment("order-1") + "'");
        Reconciliation.Result result = reconcile(false);
        assertThat(findings(result)).contains("not_yet 1 EUR 1299/0");
        assertThat(result.totals().balanced()).isTrue();
    }

    @Test
    void an_unknown_attempt_that_no_report_has_stays_unknown_and_is_no_difference() {
        books.charge("order-1", "bank", "unknown");
        Reconciliation.Result result = reconcile(true);
        assertThat(findings(result)).contains("undecided 1 EUR 1299/0");
        assertThat(result.totals().balanced()).isTrue();
    }

    @Test
    void a_line_under_a_key_that_is_not_here_or_under_none_is_strange_and_kept() {
        line("line-1", PspKey.derive(Books.payment("of-another-life"), "charge", "", "bank", 3), "captured", "5.00", "EUR");
        line("line-2", null, "captured", "7.00", "USD");
        line("line-3", books.charge("order-3", "elsewhere", "succeeded"), "captured", "12.99", "EUR");
        Reconciliation.Result result = reconcile(true);
        assertThat(findings(result)).contains("strange 2 EUR 0/1799", "strange 1 USD 0/700");
        assertThat(books.count("FROM settlement_line")).isEqualTo(4);
        assertThat(books.text("SELECT items FROM reconciliation_finding WHERE finding = 'strange' AND currency = 'USD'")).isEqualTo("1");
    }

    @Test
    void two_lines_about_one_attempt_are_a_duplicate() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        line("line-1", key, "captured", "12.99", "EUR");
        line("line-2", key, "captured", "12.99", "EUR");
        assertThat(findings(reconcile(true))).contains("duplicate 1 EUR 1299/2598");
    }

    @Test
    void parts_that_add_up_agree() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        line("line-1", key, "captured", "10.00", "EUR");
        line("line-2", key, "captured", "2.99", "EUR");
        assertThat(findings(reconcile(true))).containsExactly("agrees 2 EUR 2598/2598");
    }

    @Test
    void what_was_captured_and_taken_back_is_under() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        line("line-1", key, "captured", "12.99", "EUR");
        line("line-2", key, "capture_returned", "12.99", "EUR");
        assertThat(findings(reconcile(true))).contains("under 1 EUR 1299/0");
    }

    @Test
    void refunds_are_compared_by_their_own_keys() {
        PspKey charge = books.charge("order-1", "bank", "succeeded");
        line("line-1", charge, "captured", "12.99", "EUR");
        line("line-2", books.refund("order-1", "a", "bank", "succeeded", 300), "given_back", "3.00", "EUR");
        line("line-3", books.refund("order-1", "b", "bank", "unknown", 400), "given_back", "4.00", "EUR");
        books.refund("order-1", "c", "bank", "succeeded", 500);
        line("line-4", books.refund("order-1", "d", "bank", "succeeded", 99), "captured", "0.99", "EUR");
        assertThat(findings(reconcile(true))).containsExactly("agrees 3 EUR 2898/2898", "missing 1 EUR 500/0", "strange 1 EUR 99/99",
                "resolves 1 EUR 400/400");
    }

    @Test
    void currencies_with_other_decimals_are_compared_exactly() {
        line("line-1", books.charge("order-1", "bank", "succeeded", 500, "JPY"), "captured", "500", "JPY");
        line("line-2", books.charge("order-2", "bank", "succeeded", 1234, "KWD"), "captured", "1.234", "KWD");
        line("line-3", books.charge("order-3", "bank", "succeeded", 500, "ISK"), "captured", "500.00", "ISK");
        assertThat(reconcile(true).totals().balanced()).isTrue();
    }

    @Test
    void a_plan_shows_the_same_and_records_nothing() {
        PspKey key = books.charge("order-1", "bank", "unknown");
        line("line-1", key, "captured", "12.99", "EUR");
        Reconciliation.Result plan = reconcile(false);
        assertThat(books.count("FROM settlement_line") + books.count("FROM reconciliation")).isZero();
        Reconciliation.Result applied = reconcile(true);
        assertThat(findings(plan)).isEqualTo(findings(applied));
        assertThat(plan.recorded()).isEqualTo(applied.recorded()).isEqualTo(2);
        assertThat(plan.due()).isEqualTo(applied.due()).isEqualTo(1);
        assertThat(plan.run()).isEmpty();
    }

    @Test
    void a_report_that_is_read_twice_has_one_effect() {
        line("line-1", books.charge("order-1", "bank", "unknown"), "captured", "12.99", "EUR");
        Reconciliation.Result first = reconcile(true);
        Reconciliation.Result second = reconcile(true);
        assertThat(first.recorded()).isEqualTo(2);
        assertThat(second.recorded()).isZero();
        assertThat(findings(second)).isEqualTo(findings(first));
        assertThat(second.due()).as("it is due already").isZero();
        assertThat(books.count("FROM settlement_line")).isEqualTo(2);
    }

    @Test
    void a_reconciliation_that_died_in_the_middle_is_run_again() {
        for (int i = 0; i < 2500; i++) {
            line("line-" + i, null, "captured", "1.00", "EUR");
        }
        Source dying = new Source() {
            @Override
            public void each(Consumer<Entry> to) {
                var read = new int[1];
                report().each(entry -> {
                    if (++read[0] == 1500) {
                        throw new IllegalStateException("killed");
                    }
                    to.accept(entry);
                });
            }

            @Override
            public byte[] sha256() {
                return report().sha256();
            }

            @Override
            public boolean hasIds() {
                return true;
            }
        };
        assertThatThrownBy(() -> new Reconciliation(books.database, SettlementKeys.NONE).run(new Reconciliation.Request("bank",
                Optional.of(dying), Optional.empty(), Optional.empty(), AT_ONCE, true, 10))).hasMessage("killed");
        assertThat(books.count("FROM settlement_line")).isEqualTo(1000);
        Reconciliation.Result again = reconcile(true);
        assertThat(again.recorded()).isEqualTo(1501);
        assertThat(books.count("FROM settlement_line")).isEqualTo(2501);
        assertThat(again.totals().items(Finding.STRANGE)).isEqualTo(2500);
    }

    @Test
    void a_line_that_changed_under_its_id_is_reported_and_the_first_one_stays() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        line("line-1", key, "captured", "12.99", "EUR");
        reconcile(true);
        lines.set(1, lines.get(1).replace("12.99", "1.00"));
        assertThat(findings(reconcile(true))).contains("altered 1 EUR 0/100", "agrees 2 EUR 2598/2598");
        assertThat(books.text("SELECT amount FROM settlement_line WHERE line_id = 'line-1'")).isEqualTo("1299");
    }

    @Test
    void with_a_key_a_line_that_was_recorded_without_it_is_unproven() {
        var keys = SettlementKeys.of(Optional.of(new Secret("a-settlement-key-of-thirty-two-and-more")));
        PspKey missing = books.charge("order-1", "bank", "succeeded");
        reconcile(true, keys);
        // Who has stolen the login hides that the money of order-1 never came.
        books.database.withConnection(connection -> {
            try (var statement = connection.prepareStatement("""
                    SELECT * FROM book_lines('bank', sha256(''), ARRAY['forged'], ARRAY[1::bigint], ARRAY[?], ARRAY['captured'],
                                             ARRAY[1299::bigint], ARRAY['EUR'], ARRAY['x'], ARRAY[now() - interval '1 day'],
                                             ARRAY[sha256('guessed')])
                    """)) {
                statement.setString(1, missing.value());
                return statement.execute();
            }
        });
        assertThat(findings(reconcile(true, keys))).contains("unproven 1 EUR 0/1299");
    }

    @Test
    void garbage_is_reported_with_its_line_and_loses_nothing_else() {
        lines.add("too,few");
        lines.add("\"never closed,,,,,");
        line("line-1", books.charge("order-1", "bank", "succeeded"), "captured", "12.99", "EUR");
        line("line-2", null, "captured", "12.999", "EUR");
        line("line-3", null, "captured", "-1.00", "EUR");
        line("line-4", null, "captured", "1.00", "XYZ");
        line("line-5", null, "vanished", "1.00", "EUR");
        line("line-6", null, "captured", "1.00", "EUR", "yesterday");
        line("", null, "captured", "1.00", "EUR");
        Reconciliation.Result result = reconcile(true);
        assertThat(result.totals().differences()).allSatisfy(one -> assertThat(one.finding()).isEqualTo(Finding.UNREADABLE))
                .extracting(one -> one.where().orElseThrow())
                .containsExactly("line 3", "line 4", "line 6", "line 7", "line 8", "line 9", "line 10", "line 11");
        assertThat(findings(result)).contains("agrees 2 EUR 2598/2598");
        assertThat(result.totals().balanced()).isFalse();
    }

    @Test
    void another_file_is_no_report_and_records_nothing() throws IOException {
        Path file = folder.resolve("other.csv");
        Files.writeString(file, "name,age\nx,1\n");
        var request = new Reconciliation.Request("bank", Optional.of(new Source.OfFile(file, Report.Format.PLAIN.report("bank"))),
                Optional.empty(), Optional.empty(), AT_ONCE, true, 10);
        assertThatThrownBy(() -> new Reconciliation(books.database, SettlementKeys.NONE).run(request))
                .isInstanceOf(Report.WrongFormat.class).hasMessageContaining("lacks the columns");
        assertThat(books.count("FROM settlement_line")).isZero();
    }

    @Test
    void only_so_many_differences_are_kept_and_all_are_counted() {
        for (int i = 0; i < 150; i++) {
            line("line-" + i, null, "captured", "1.00", "EUR");
        }
        Totals totals = reconcile(false).totals();
        assertThat(totals.differences()).hasSize(100);
        assertThat(totals.left()).isEqualTo(50);
        assertThat(totals.items(Finding.STRANGE)).isEqualTo(150);
    }
}
