// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import static io.chargeonce.notifications.SenderFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.DeliverySchedule;
import io.chargeonce.notifications.Dispatcher;
import io.chargeonce.notifications.SenderMeters;
import io.chargeonce.notifications.Tried;
import io.chargeonce.notifications.receipt.FaultyMail.Fault;
import io.chargeonce.runtime.Worker;
import io.chargeonce.sandbox.mail.Letter;
import io.chargeonce.sandbox.mail.SandboxMail;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that die, hang or work beside others, over real Postgres and SMTP. */
class DispatcherTest {

    private static SandboxMail mail;
    private static FaultyMail server;
    private static Books books;

    private final String jane = "jane-" + UUID.randomUUID() + "@example.com";

    @BeforeAll
    static void open() {
        mail = SandboxMail.start(0, 0);
        server = new FaultyMail(mail);
        books = new Books();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
        server.close();
        mail.close();
    }

    /** A process that mails, without the loop that stages. */
    private static final class Process implements AutoCloseable {

        final Mailer mailer;
        final Dispatcher<Receipt> dispatcher;
        private final Worker worker;

        Process(Database database, int atOnce, Duration timeout) {
            var table = new ReceiptTable(database);
            mailer = new Mailer(table, MailServer.here(server.port(), timeout), Books.letterhead(), atOnce, InstantSource.system());
            var often = new DeliverySchedule(Collections.nCopies(50, Duration.ofMillis(50)), () -> 0.5);
            dispatcher = new Dispatcher<>(ReceiptService.CHANNEL, database, table, mailer, mailer::send, often, timeout,
                    new SenderMeters(new SimpleMeterRegistry(), ReceiptService.CHANNEL, Map.of()));
            worker = Worker.start("receipt-dispatcher", Duration.ofMillis(20), dispatcher::runOnce);
        }

        @Override
        public void close() {
            worker.close();
            dispatcher.close();
        }
    }

    private static void stage(List<String> payments) {
        books.execute("SELECT stage_receipts('{" + String.join(",", payments) + "}')");
    }

    @Test
    void a_server_that_hangs_or_drips_ends_its_own_tries_and_delays_no_other_receipt() {
        String slow = "slow-" + jane;
        server.with(slow, new Fault.Hangs(), new Fault.Drips());
        String hanging = books.paid(slow);
        stage(List.of(hanging));
        try (var process = new Process(books.database(Books.ROLE), 2, Duration.ofMillis(700))) {
            eventually(() -> assertThat(server.left(slow)).isOne());
            List<String> others = IntStream.range(0, 10).mapToObj(n -> books.paid(n + jane)).toList();
            stage(others);
            others.forEach(other -> eventually(() -> assertThat(books.receiptOf(other)).startsWith("sent")));
            eventually(() -> assertThat(books.receiptOf(hanging)).startsWith("sent"));
        }
        assertThat(server.left(slow)).isZero();
        assertThat(mail.lettersTo(slow)).extracting(Letter::id).containsOnly("<" + books.idOf(hanging) + "@shop.example>");
    }

    @Test
    void two_processes_mail_each_receipt_once_over_a_few_connections() {
        int before = server.connections.get();
        List<String> payments = IntStream.range(0, 25).mapToObj(n -> books.paid(n + jane)).toList();
        Duration timeout = Duration.ofSeconds(20);
        try (var first = new Process(books.database(Books.ROLE), 4, timeout);
             var second = new Process(books.database(Books.ROLE), 4, timeout)) {
            stage(payments);
            stage(payments.reversed());
            payments.forEach(payment -> eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 1 ")));
        }
        List<Letter> all = mail.letters().stream().filter(letter -> letter.to().getFirst().endsWith(jane)).toList();
        assertThat(all).hasSize(25);
        assertThat(all.stream().map(Letter::id).collect(Collectors.toSet())).hasSize(25);
        assertThat(server.connections.get() - before).isLessThanOrEqualTo(8);
    }

    @Test
    void a_process_killed_after_the_server_took_a_receipt_leads_to_the_same_message_again() throws Exception {
        String payment = books.paid(jane);
        stage(List.of(payment));
        var killed = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), "-XX:TieredStopAtLevel=1",
                KilledSender.class.getName(), books.as(Books.ROLE), "" + mail.port()).inheritIO().start();
        assertThat(killed.waitFor()).isEqualTo(KilledSender.AS_BY_SIGKILL);
        assertThat(mail.lettersTo(jane)).hasSize(1);
        assertThat(books.receiptOf(payment)).isEqualTo("waiting 1 ");

        // Its claim has ended.
        books.execute("UPDATE receipt SET claimed_until = NULL WHERE payment_id = '" + payment + "'");
        try (var next = new Process(books.database(Books.ROLE), 1, Duration.ofSeconds(20))) {
            eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 2 "));
            assertThat(next.dispatcher.runOnce()).isZero();
        }
        assertThat(mail.lettersTo(jane)).hasSize(2).extracting(Letter::id).containsOnly("<" + books.idOf(payment) + "@shop.example>");
    }

    @Test
    void a_server_that_refuses_us_kills_no_receipt_counts_no_try_and_is_asked_seldom() {
        List<String> payments = IntStream.range(0, 8).mapToObj(n -> books.paid(n + jane)).toList();
        stage(payments);
        server.refusesSender = 550;
        try (var process = new Process(books.database(Books.ROLE), 2, Duration.ofSeconds(20))) {
            eventually(() -> assertThat(books.text("SELECT count(*) FROM receipt WHERE last_error = 'sender_refused'")).isEqualTo("2"));
            assertThat(process.dispatcher.runOnce()).isZero();
            assertThat(process.mailer.problem()).hasValueSatisfying(problem -> assertThat(problem).contains("receipts@shop.example"));
            assertThat(books.text("SELECT count(*) FROM receipt WHERE payment_id = ANY ('{" + String.join(",", payments)
                    + "}') AND state = 'waiting' AND attempts = 0")).isEqualTo("8");
        } finally {
            server.refusesSender = 0;
        }
        books.execute("UPDATE receipt SET due_at = now() WHERE state = 'waiting'");
        try (var mended = new Process(books.database(Books.ROLE), 2, Duration.ofSeconds(20))) {
            payments.forEach(payment -> eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 1 ")));
            assertThat(mended.mailer.problem()).isEmpty();
        }
    }

    /** As Postfix does by default: it says at the recipient what it has against us. */
    @ParameterizedTest
    @ValueSource(strings = {"554 5.7.1 <RECIPIENT>: Relay access denied", "550 5.7.26 this mail is not authenticated",
        "554 no mail from you"})
    void a_server_that_refuses_us_at_the_recipient_kills_no_receipt_and_counts_no_try(String refusal) {
        String payment = books.paid(jane);
        stage(List.of(payment));
        server.refusesRelay = refusal;
        try (var process = new Process(books.database(Books.ROLE), 1, Duration.ofSeconds(20))) {
            eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("waiting 0 relay_refused"));
            assertThat(process.mailer.problem()).hasValueSatisfying(problem -> assertThat(problem).contains("passes on no mail"));
        } finally {
            server.refusesRelay = "";
        }
        books.execute("UPDATE receipt SET due_at = now() WHERE state = 'waiting'");
        try (var mended = new Process(books.database(Books.ROLE), 1, Duration.ofSeconds(20))) {
            eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 1 "));
            assertThat(mended.mailer.problem()).isEmpty();
        }
    }

    @Test
    void one_recipient_that_a_policy_refuses_while_others_get_mail_stops_no_other_and_its_tries_count() {
        String refused = "refused-" + jane;
        server.with(refused, new Fault.Policy("550 5.7.1 blocked here"), new Fault.Policy("550 5.7.1 blocked here"));
        String well = books.paid(jane);
        stage(List.of(well));
        try (var process = new Process(books.database(Books.ROLE), 1, Duration.ofSeconds(20))) {
            eventually(() -> assertThat(books.receiptOf(well)).isEqualTo("sent 1 "));
            String blocked = books.paid(refused);
            stage(List.of(blocked));
            eventually(() -> assertThat(books.receiptOf(blocked)).isEqualTo("sent 3 "));
            assertThat(process.mailer.problem()).isEmpty();
        }
    }

    @Test
    void what_was_made_after_the_last_mail_and_waits_is_stuck_however_often_it_is_tried() {
        var table = new ReceiptTable(books.database(Books.ROLE));
        books.execute("DELETE FROM receipt");
        String sent = books.paid(jane);
        String old = books.paid(jane);
        stage(List.of(sent, old));
        books.execute("UPDATE receipt SET state = 'sent', ended_at = now() - interval '3 hours' WHERE operation_id = '" + sent + "'");
        books.execute("UPDATE receipt SET due_at = now() + interval '1 hour'");
        books.execute("ALTER TABLE receipt DISABLE TRIGGER what_a_receipt_is_about_never_changes");
        books.execute("UPDATE receipt SET created_at = now() - interval '2 days' WHERE operation_id = '" + old + "'");
        assertThat(table.backlog().get("stuck.seconds")).as("one mailbox that is full").isZero();
        books.execute("UPDATE receipt SET created_at = now() - interval '2 hours' WHERE operation_id = '" + old + "'");
        books.execute("ALTER TABLE receipt ENABLE TRIGGER what_a_receipt_is_about_never_changes");
        assertThat(table.backlog().get("stuck.seconds")).isBetween(7_000.0, 7_400.0);
        assertThat(table.backlog().get("overdue.seconds")).isZero();
        books.execute("UPDATE receipt SET due_at = now() - interval '1 hour' WHERE state = 'waiting'");
        assertThat(table.backlog().get("overdue.seconds")).isBetween(3_500.0, 4_000.0);
        books.execute("UPDATE receipt SET ended_at = now() WHERE operation_id = '" + sent + "'");
        assertThat(table.backlog().get("stuck.seconds")).isZero();
        books.execute("DELETE FROM receipt");
        assertThat(table.backlog().get("stuck.seconds")).isZero();
    }

    /** Its own claim has ended, and another process has the receipt: what it says about a failure must not count. */
    @Test
    void a_worker_that_comes_too_late_neither_mails_nor_decides() {
        String payment = books.paid(jane);
        stage(List.of(payment));
        var database = books.database(Books.ROLE);
        var table = new ReceiptTable(database);
        Receipt late = table.claim(1, Duration.ofMillis(1)).getFirst();
        var now = new Receipt(late.id(), 2, 2);
        eventually(() -> assertThat(table.claim(1, Duration.ofMinutes(1))).containsExactly(now));
        assertThat(table.toSend(late)).isEmpty();
        assertThat(table.toSend(now)).isPresent();
        refuse(database, late);
        assertThat(books.receiptOf(payment)).isEqualTo("waiting 2 ");
    }

    @Test
    void a_failure_from_before_a_resending_says_nothing_about_it() {
        String payment = books.paid(jane);
        stage(List.of(payment));
        var database = books.database(Books.ROLE);
        var table = new ReceiptTable(database);
        Receipt frozen = table.claim(1, Duration.ZERO).getFirst();
        Receipt second = table.claim(1, Duration.ofMinutes(1)).getFirst();
        refuse(database, second);
        assertThat(new ReceiptBook(books.database("chargeonce_dlq_operator"), "test").resend(frozen.id())).isTrue();
        Receipt resent = table.claim(1, Duration.ofMinutes(1)).getFirst();
        assertThat(resent.attempt()).isEqualTo(frozen.attempt());
        refuse(database, frozen);
        assertThat(books.receiptOf(payment)).startsWith("waiting 1 ");
        refuse(database, resent);
        assertThat(books.receiptOf(payment)).startsWith("dead 1 ");
    }

    private static void refuse(Database database, Receipt receipt) {
        var refused = new Tried<>(receipt, SendResult.of(Result.REFUSED, 550, "recipient_refused"), "dead", Duration.ZERO);
        database.inTransaction(connection -> new ReceiptTable(database).record(connection, List.of(refused)));
    }
}
