// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.reconcile.Books;
import io.chargeonce.settlement.SettlementKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the command says, and how it ends. */
class ReconcileCommandTest {

    private static final String BOOKED = Instant.now().minus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS).toString();
    private static Books books;

    @TempDir
    private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

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
    }

    private int run(String... arguments) {
        var settings = new ReconcileSettings(books.asReconciler(), "chargeonce_reconciler", () -> "", SettlementKeys.NONE,
                List.of(new StripeSettings("sk_test_1", "http://127.0.0.1:9", Duration.ofSeconds(1))));
        return new CommandLine(new ReconcileCommand(() -> settings, InstantSource.system())).setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err)).execute(arguments);
    }

    private String report(String... lines) throws IOException {
        Path file = folder.resolve("report.csv");
        Files.writeString(file, "id,key,moved,amount,currency,reference,booked_at\n" + String.join("\n", lines) + "\n");
        return file.toString();
    }

    private static String line(String id, PspKey key, String amount) {
        return "%s,%s,captured,%s,EUR,ref,%s".formatted(id, key, amount, BOOKED);
    }

    @Test
    void everything_agrees() throws IOException {
        String file = report(line("1", books.charge("order-1", "paper", "succeeded"), "12.99"));
        assertThat(run("--psp", "paper", "--file", file)).as(err.toString()).isZero();
        assertThat(out.toString()).contains("1 line read, 1 of them new; nothing is recorded without --apply", "everything agrees")
                .containsPattern("agrees +1 +12.99 EUR +12.99 EUR");
        assertThat(books.count("FROM settlement_line")).isZero();
    }

    @Test
    void a_difference_ends_it_with_1_and_is_shown() throws IOException {
        PspKey key = books.charge("order-1", "paper", "succeeded");
        assertThat(run("--psp", "paper", "--file", report(line("line-1", key, "12.00")), "--apply")).isEqualTo(1);
        assertThat(out.toString()).containsPattern("under +pay_\\w+  line-1  12.99 EUR here, 12.00 EUR there");
        assertThat(books.count("FROM reconciliation")).isEqualTo(1);
    }

    @Test
    void as_json_each_difference_is_a_line_and_the_last_is_the_comparison() throws IOException {
        PspKey key = books.charge("order-1", "paper", "succeeded");
        assertThat(run("--psp", "paper", "--file", report(line("line-1", key, "12.00"), "garbage"), "--json")).isEqualTo(1);
        assertThat(out.toString().lines().toList()).hasSize(3);
        assertThat(out.toString().lines().toList().getLast()).startsWith("{\"psp\":\"paper\",\"balanced\":false,\"applied\":false")
                .contains("{\"finding\":\"under\",\"currency\":\"EUR\",\"items\":1,\"expected\":1299,\"booked\":1200}");
        assertThat(out.toString()).contains("\"line\":\"line 3\"");
    }

    @Test
    void control_characters_of_a_report_are_not_printed() throws IOException {
        run("--psp", "paper", "--file", report("\u001b[2J,,captured,1.00,EUR,ref," + BOOKED, ",,\u001b[31m,1.00,EUR,,"));
        assertThat(out.toString()).doesNotContain("\u001b");
    }

    @Test
    void wrong_usage_is_told_all_at_once() {
        assertThat(run("--psp", "Bank!", "--file", "/nowhere.csv", "--fetch", "--format", "xml", "--settles-within", "soon")).isEqualTo(2);
        assertThat(err.toString().lines().toList()).hasSize(5);
        assertThat(run("--psp", "paper", "--from", "yesterday")).isEqualTo(2);
        assertThat(run()).isEqualTo(2);
    }

    @Test
    void another_file_is_wrong_usage() throws IOException {
        String file = report(line("1", books.charge("order-1", "paper", "succeeded"), "12.99"));
        assertThat(run("--psp", "adyen", "--file", file, "--apply")).isEqualTo(2);
        assertThat(err.toString()).contains("is no such report: it lacks the columns");
        assertThat(books.count("FROM settlement_line")).isZero();
    }

    @Test
    void without_any_line_the_time_must_be_named() {
        assertThat(run("--psp", "paper")).isEqualTo(2);
        assertThat(err.toString()).contains("--from and --to");
        books.charge("order-1", "paper", "succeeded");
        assertThat(run("--psp", "paper", "--from", "2020-01-01", "--to", Instant.now().toString(), "--settles-within", "1h")).isEqualTo(1);
        assertThat(out.toString()).containsPattern("missing +1");
    }

    @Test
    void a_psp_that_does_not_answer_ends_it_with_3() {
        assertThat(run("--psp", "stripe", "--fetch", "--apply")).isEqualTo(3);
        assertThat(err.toString()).contains("run it again");
        assertThat(run("--psp", "adyen", "--fetch")).as("its reports are files").isEqualTo(2);
    }

    @Test
    void a_bank_that_nothing_was_sent_to_is_wrong_usage() throws IOException {
        assertThat(run("--psp", "bank-typo", "--fetch", "--apply")).isEqualTo(2);
        assertThat(err.toString()).contains("bank-typo");
        assertThat(run("--psp", "bank-typo", "--format", "plain", "--file", report(line("1", books.charge("order-1", "bank", "succeeded"),
                "12.99")), "--apply")).isEqualTo(2);
        assertThat(books.count("FROM reconciliation")).isZero();
        assertThat(books.count("FROM settlement_line")).isZero();
    }

    @Test
    void a_report_of_another_account_is_wrong_usage_and_one_strange_line_among_ours_is_reported() throws IOException {
        PspKey other = books.charge("order-1", "paper-uk", "succeeded");
        assertThat(run("--psp", "paper", "--file", report(line("1", other, "12.99")), "--apply")).isEqualTo(2);
        assertThat(err.toString()).contains("is about attempts at paper-uk, and about none at paper: nothing is recorded");
        assertThat(books.count("FROM settlement_line")).isZero();
        PspKey ours = books.charge("order-2", "paper", "succeeded");
        assertThat(run("--psp", "paper", "--file", report(line("1", other, "12.99"), line("2", ours, "12.99")), "--apply")).isEqualTo(1);
        assertThat(out.toString()).containsPattern("strange +1 ");
    }

    @Test
    void the_first_night_of_a_bank_ends_well_before_its_first_debit() {
        books.execute("INSERT INTO bank (bank, next_cutoff, answer_within_s) VALUES ('bank-new', now(), 300)");
        assertThat(run("--psp", "bank-new", "--fetch", "--apply")).as(err.toString()).isZero();
        assertThat(out.toString()).contains("0 lines read", "everything agrees");
    }

    /** A file that a person has released, or that was fetched after an outage, tells of bookings of many days ago. */
    @Test
    void what_a_bank_said_late_is_taken_too() {
        PspKey key = books.charge("order-1", "bank", "succeeded");
        assertThat(run("--psp", "bank", "--fetch", "--apply")).isEqualTo(1);
        books.execute("""
                SET session_replication_role = replica;
                INSERT INTO bank (bank, next_cutoff, answer_within_s) VALUES ('bank', now(), 300);
                INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size, message, message_id)
                VALUES (1, 'bank', 'camt.xml', sha256(''), 1, 'camt.053', 'S1');
                INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, code, reference, happened_on, state)
                VALUES (1, 'bank', 'booked', '%s', 1299, 'EUR', true, '', 'BK-1', current_date - 10, 'taken');
                RESET session_replication_role
                """.formatted(key));
        assertThat(run("--psp", "bank", "--fetch", "--apply")).as(out.toString()).isZero();
    }

    /** A Job that ends with 3 is tried again, and one that ends with 2 is not. */
    @Test
    void another_comparison_that_holds_the_same_lines_ends_it_with_3() throws Exception {
        String file = report(line("1", books.charge("order-1", "paper", "succeeded"), "12.99"));
        try (var other = DriverManager.getConnection(books.asReconciler() + "&currentSchema=chargeonce");
             var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("""
                    SELECT * FROM book_lines('paper', sha256(''), '{1}', '{1}', '{NULL}', '{captured}', '{1}', '{EUR}', '{ref}',
                                             ARRAY[now()], ARRAY[NULL]::bytea[])""");
            assertThat(run("--psp", "paper", "--file", file, "--apply")).as(err.toString()).isEqualTo(3);
        }
        assertThat(err.toString()).contains("run it again");
    }
}
