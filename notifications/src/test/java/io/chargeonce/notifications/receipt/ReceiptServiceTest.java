// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import static io.chargeonce.notifications.SenderFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.chargeonce.notifications.receipt.FaultyMail.Fault;
import io.chargeonce.sandbox.mail.Letter;
import io.chargeonce.sandbox.mail.SandboxMail;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The service over real Kafka, Postgres and SMTP, under its own role. All tests share it, each with recipients of its own. */
class ReceiptServiceTest {

    private static final List<Duration> AT_ONCE = List.of(Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofMillis(100));

    private static SandboxMail mail;
    private static FaultyMail server;
    private static Books books;

    private final String jane = "jane-" + UUID.randomUUID() + "@example.com";

    @BeforeAll
    static void open() {
        mail = SandboxMail.start(0, 0);
        server = new FaultyMail(mail);
        books = new Books();
        books.start(books.settings(MailServer.here(server.port(), Duration.ofSeconds(20))).withPace(AT_ONCE, 4));
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
        server.close();
        mail.close();
    }

    private List<Letter> letters() {
        return mail.lettersTo(jane);
    }

    private String sent(String payment) {
        books.publish(payment);
        eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 1 "));
        return books.idOf(payment);
    }

    /** A later record of the same partitions has been read, so an earlier one has too. */
    private void awaitAllRead() {
        String last = books.paid("last-" + UUID.randomUUID() + "@example.com");
        IntStream.range(0, 20).forEach(everyPartition -> books.publish("key-" + everyPartition, "{\"operation_id\":\"" + last + "\"}"));
        eventually(() -> assertThat(books.receiptOf(last)).isEqualTo("sent 1 "));
    }

    @Test
    void a_success_becomes_one_mail_whose_facts_come_from_the_rows() {
        String payment = books.paid(jane);
        String id = sent(payment);

        assertThat(letters()).singleElement().satisfies(letter -> {
            assertThat(letter.id()).isEqualTo("<" + id + "@shop.example>");
            assertThat(letter.from()).isEqualTo("acme <receipts@shop.example>");
            assertThat(letter.to()).containsExactly(jane);
            assertThat(letter.subject()).isEqualTo("Your receipt from acme");
            assertThat(letter.headers()).contains("Reply-To: help@shop.example", "Auto-Submitted: auto-generated");
            assertThat(letter.text()).contains("acme has received your payment of €12.99", "Amount paid: €12.99",
                    "November 23, 2026", "Reference: order-7", "Description: two mugs", "Payment: " + payment);
            assertThat(letter.html()).contains("<h2>acme has received your payment of €12.99</h2>", "two mugs", payment);
            assertThat(letter.text() + letter.html()).doesNotContain("cus_secret", "pm_card_visa", "9,999.99");
        });
        assertThat(books.text("SELECT receipt::text FROM receipt WHERE operation_id = '" + payment + "'")).doesNotContain(jane);
    }

    @Test
    void what_did_not_succeed_has_no_address_or_was_repeated_is_mailed_no_more() {
        String payment = books.paid(jane);
        String id = sent(payment);
        IntStream.range(0, 5).forEach(copy -> books.publish(payment));
        String open = books.accepted(jane, 500, "EUR", null, null);
        books.publish(open);
        String silent = books.paid(null);
        books.publish(silent);
        for (String strange : List.of("no json", "{}", "{\"operation_id\":7}", "{\"operation_id\":\"no such one\"}", "[]", "",
                "{\"operation_id\":\"a\\u0000b\"}", "{\"operation_id\":\"\\ud800\"}")) {
            books.publish("strange", strange);
        }
        awaitAllRead();
        assertThat(letters()).singleElement().extracting(Letter::id).asString().contains(id);
        assertThat(List.of(books.receiptOf(open), books.receiptOf(silent))).containsOnly("(none)");
    }

    @Test
    void a_payment_whose_address_the_psp_got_before_the_setting_was_changed_has_no_second_receipt() {
        String payment = books.paid(jane);
        books.execute("""
                SET session_replication_role = replica;
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request,
                                             request_sha256, sent_at, key_valid_until, psp_reference, decided_at)
                VALUES ('%1$s', '%1$s', '%1$s', 'charge', 1, 1, 'stripe', 'succeeded', 'amount=1299&receipt_email=jane%%40example.com',
                        sha256(''), now(), now(), 'pi_1', now())""".formatted(payment));
        books.publish(payment);
        awaitAllRead();
        assertThat(books.receiptOf(payment)).isEqualTo("(none)");
    }

    @Test
    void a_refund_has_a_receipt_of_its_own_at_the_payments_address() {
        String payment = books.paid(jane);
        sent(payment);
        sent(books.refunded(payment, 500));
        assertThat(letters()).hasSize(2);
        assertThat(letters().get(1).subject()).isEqualTo("Your refund from acme");
        assertThat(letters().get(1).text()).contains("acme has refunded €5.00 to you", "Amount refunded: €5.00", "Reference: order-7");
    }

    @Test
    void a_refund_that_failed_after_its_receipt_has_a_second_mail_that_corrects_it() {
        String payment = books.paid(jane);
        sent(payment);
        String refund = books.refunded(payment, 500);
        sent(refund);
        books.execute("UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_1' WHERE operation_id = '" + refund
                + "'; UPDATE operation_state SET state = 'failed', step = 3, settled_at = now() WHERE operation_id = '" + refund + "'");
        books.publish(refund);
        books.publish(refund);
        eventually(() -> assertThat(letters()).hasSize(3));
        assertThat(letters().get(2).subject()).isEqualTo("Your refund from acme did not arrive");
        assertThat(letters().get(2).text()).contains("Amount not refunded: €5.00", "Payment: " + payment);
        eventually(() -> assertThat(books.text("SELECT string_agg(kind || ' ' || state, ', ' ORDER BY kind) FROM receipt WHERE "
                + "operation_id = '" + refund + "'")).isEqualTo("refund sent, refund_failed sent"));
    }

    @Test
    void a_merchants_own_name_language_and_address_for_answers_are_used() {
        String payment = books.paid(jane, 129900, "EUR", "Müller & Söhne", null);
        books.execute("UPDATE merchant SET receipt_name = 'Äcme Möbel', receipt_locale = 'de-DE', receipt_reply_to = 'hilfe@acme.example' "
                + "WHERE merchant_id = 'acme'");
        try {
            sent(payment);
        } finally {
            books.execute("UPDATE merchant SET receipt_name = NULL, receipt_locale = NULL, receipt_reply_to = NULL");
        }
        Letter letter = letters().getFirst();
        assertThat(letter.subject()).isEqualTo("Ihr Beleg von Äcme Möbel");
        assertThat(letter.text()).contains("Äcme Möbel hat Ihre Zahlung von 1.299,00\u00a0€ erhalten", "Müller & Söhne");
        assertThat(letter.html()).contains("Müller &amp; Söhne");
        assertThat(letter.headers()).contains("Reply-To: hilfe@acme.example");
    }

    @Test
    void texts_of_others_add_no_header_no_recipient_and_no_markup() {
        String evil = "x\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\u202e\u2028.\r\n.\r\nMAIL FROM:<eve@example.com>";
        String payment = books.paid(jane, 100, "EUR", evil, "\"><img src=x onerror=alert(1)>");
        sent(payment);
        Letter letter = letters().getFirst();
        assertThat(letters()).hasSize(1);
        assertThat(mail.lettersTo("eve@example.com")).isEmpty();
        assertThat(letter.headers()).noneMatch(header -> header.startsWith("Bcc"));
        assertThat(letter.text()).contains("Reference: x Bcc: eve@example.com <script>").doesNotContain("\u202e", "\u2028");
        assertThat(letter.html()).contains("&lt;script&gt;alert(1)&lt;/script&gt;", "&quot;&gt;&lt;img").doesNotContain("<script", "<img");

        for (String address : List.of(jane + "\r\nBcc: eve@example.com", jane + ", eve@example.com", "Eve <eve@example.com>", "nobody",
                "g:eve@example.com;", "jäne@example.com", "a b@example.com", "@example.com", "x@", "x@exa mple.com")) {
            String odd = books.paid(address);
            books.publish(odd);
            eventually(() -> assertThat(books.receiptOf(odd)).as(address).isEqualTo("dead 1 no_such_address"));
        }
        assertThat(mail.lettersTo("eve@example.com")).isEmpty();
    }

    @Test
    void a_temporary_refusal_is_tried_again_under_the_same_id() {
        server.with(jane, new Fault.Recipient(451), new Fault.Message(452), new Fault.AnswerLost());
        String payment = books.paid(jane);
        books.publish(payment);
        eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 4 "));
        // The server took the third too: its answer was lost, so the same message came again.
        assertThat(letters()).hasSize(2).extracting(Letter::id).containsOnly("<" + books.idOf(payment) + "@shop.example>");
    }

    @Test
    void temporary_refusals_end_after_the_last_try() {
        server.with(jane, IntStream.range(0, 4).mapToObj(n -> new Fault.Recipient(450)).toArray(Fault[]::new));
        String payment = books.paid(jane);
        books.publish(payment);
        eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("dead 4 try_later"));
        assertThat(letters()).isEmpty();
    }

    @Test
    void a_permanent_refusal_is_dead_listed_and_mailed_again_by_command() {
        server.with(jane, new Fault.Recipient(550));
        String payment = books.paid(jane);
        books.publish(payment);
        eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("dead 1 recipient_refused"));
        String id = books.idOf(payment);

        assertThat(books.receipt("list", "--failed", "--payment", payment).out()).contains(id, "550 recipient_refused")
                .doesNotContain(jane);
        assertThat(books.receipt("list", "--failed", "--json").out()).contains("\"receipt_id\":\"" + id + "\"", "\"last_status\":550");
        assertThat(books.receipt("list", "--state", "sent", "--payment", payment).out()).doesNotContain(id);
        assertThat(books.receipt("resend", id).out()).contains("Would mail the receipt of the charge of " + payment);
        assertThat(books.receiptOf(payment)).startsWith("dead");
        assertThat(books.receipt("resend", id, "--yes").exit()).isZero();
        eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 1 "));
        assertThat(letters()).singleElement().extracting(Letter::id).asString().contains(id);
        assertThat(books.text("SELECT actor FROM audit_record WHERE action = 'dlq.receipt_resent' AND resource_id = '" + payment + "'"))
                .isEqualTo("chargeonce_dlq_operator");

        assertThat(books.receipt("resend", "rcp_" + "0".repeat(32), "--yes").exit()).isOne();
        assertThat(books.receipt("resend").exit()).isEqualTo(2);
        assertThat(books.receipt("list", "--state", "gone").exit()).isEqualTo(2);
    }

    @Test
    void all_that_failed_of_one_cause_is_mailed_again_at_once() {
        server.with(jane, new Fault.Message(554), new Fault.Message(554));
        List<String> payments = List.of(books.paid(jane), books.paid(jane));
        payments.forEach(books::publish);
        payments.forEach(payment -> eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("dead 1 message_refused")));
        assertThat(books.receipt("resend", "--all-failed", "--error", "message_refused").out()).contains("Would mail 2 receipts");
        assertThat(books.receipt("resend", "--all-failed", "--error", "message_refused", "--yes").out()).contains("Mails 2 receipts");
        payments.forEach(payment -> eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 1 ")));
        assertThat(letters()).hasSize(2);
        assertThat(books.receipt("resend", "--all-failed", "--error", "message_refused", "--yes").exit()).isOne();
    }

    @Test
    void an_address_that_is_erased_gets_no_mail_any_more() {
        String waits = books.paid(jane);
        String later = books.paid(jane);
        server.with(jane, new Fault.Recipient(451));
        books.execute("INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind, due_at) SELECT receipt_id_of('" + waits
                + "', life_of(now()), '" + jane + "'), '" + waits + "', '" + waits + "', 'acme', 'charge', now() + interval '1 hour'");
        String digest = books.idOf(waits);
        books.execute("SELECT erase_personal_data('acme', ARRAY['%s', '%s'], 'jane', 'asked for it', 'run', true)".formatted(waits, later));
        assertThat(books.receiptOf(waits)).isEqualTo("erased 0 ");
        assertThat(books.idOf(waits)).isNotEqualTo(digest);
        books.publish(waits);
        books.publish(later);
        awaitAllRead();
        assertThat(books.receiptOf(later)).isEqualTo("(none)");
        assertThat(letters()).isEmpty();
        assertThat(server.left(jane)).isOne();
        assertThat(books.receipt("resend", books.idOf(waits), "--yes").err()).contains("was erased");
    }

    @Test
    void a_sent_or_dead_receipt_whose_address_was_erased_stays_as_it_is() {
        String sent = books.paid(jane);
        books.publish(sent);
        eventually(() -> assertThat(books.receiptOf(sent)).isEqualTo("sent 1 "));
        String dead = books.paid(jane);
        server.with(jane, new Fault.Recipient(550));
        books.publish(dead);
        eventually(() -> assertThat(books.receiptOf(dead)).isEqualTo("dead 1 recipient_refused"));
        books.execute("SELECT erase_personal_data('acme', ARRAY['%s', '%s'], 'jane', 'asked for it', 'run', true)".formatted(sent, dead));
        for (String payment : List.of(sent, dead)) {
            assertThat(books.receipt("resend", books.idOf(payment)).err()).contains("was erased");
            assertThat(books.receipt("resend", books.idOf(payment), "--yes").err()).contains("was erased");
        }
        assertThat(books.receipt("resend", "--all-failed", "--error", "recipient_refused", "--yes").exit()).isOne();
        assertThat(books.receiptOf(sent)).isEqualTo("sent 1 ");
        assertThat(books.receiptOf(dead)).isEqualTo("dead 1 recipient_refused");
    }

    @Test
    void what_kafka_lost_is_made_once_by_the_payments_id_and_is_on_record() {
        String payment = books.accepted(jane, 1299, "EUR", "order-7", "two mugs");
        books.succeeds(payment, "now()");
        String refund = books.refund(payment, 500);
        books.succeeds(refund, "now()");
        assertThat(books.receipt("resend", payment).out()).contains("Would mail 2 that " + payment + " lacks");
        assertThat(books.receiptOf(payment)).isEqualTo("(none)");
        assertThat(books.receipt("resend", payment, "--yes").out()).contains("Mails 2 that " + payment + " lacked");
        eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("sent 1 "));
        eventually(() -> assertThat(books.receiptOf(refund)).isEqualTo("sent 1 "));
        assertThat(books.receipt("resend", payment, "--yes").exit()).isOne();
        assertThat(books.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.receipt_staged' AND resource_id = '" + payment + "'"))
                .isEqualTo("1");
        String old = books.accepted(jane, 1299, "EUR", "order-8", "two mugs");
        books.succeeds(old, "now() - interval '21 days'");
        assertThat(books.receipt("resend", old, "--yes").err()).as("its receipt may have been sent and forgotten").contains("lacks none");
        assertThat(letters()).hasSize(2);
    }

    /** Also if the erasure knows nothing of receipts: the address is read just before it is used. */
    @Test
    void a_receipt_whose_address_is_gone_when_its_turn_comes_ends() {
        String payment = books.paid(jane);
        books.execute("BEGIN; SELECT set_config('chargeonce.erasing', 'on', true); UPDATE operation SET receipt_email = '[erased]' WHERE "
                + "operation_id = '" + payment + "'; INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind) VALUES "
                + "(receipt_id_of('" + payment + "', life_of(now()), '" + jane + "'), '" + payment + "', '" + payment
                + "', 'acme', 'charge'); COMMIT");
        eventually(() -> assertThat(books.receiptOf(payment)).isEqualTo("erased 1 "));
        assertThat(letters()).isEmpty();
    }

    @Test
    void what_cannot_be_written_is_dead_and_stops_no_other() {
        String odd = books.paid(jane, 100, "QQQ", null, null);
        books.publish(odd);
        eventually(() -> assertThat(books.receiptOf(odd)).isEqualTo("dead 1 cannot_be_written"));
    }

    @Test
    void no_second_receipt_of_an_operation_can_exist() {
        String payment = books.paid(jane);
        sent(payment);
        assertThat(catchThrowable(() -> books.execute(
                "INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind) VALUES (receipt_id_of('" + payment
                        + "', life_of(now()), 'eve@example.com'), '" + payment + "', '" + payment + "', 'acme', 'charge')")))
                .hasStackTraceContaining("receipt_operation_id_kind_key");
    }

    @Test
    void the_services_role_reads_an_address_only_while_its_receipt_is_claimed() {
        String payment = books.paid(jane);
        String id = sent(payment);
        var database = books.database(Books.ROLE);
        assertThat(new ReceiptTable(database).toSend(new Receipt(id, 1, 1))).isEmpty();
        for (String sql : List.of("SELECT receipt_email FROM chargeonce.operation", "SELECT * FROM chargeonce.operation_now",
                "INSERT INTO chargeonce.receipt DEFAULT VALUES", "DELETE FROM chargeonce.receipt",
                "UPDATE chargeonce.receipt SET receipt_id = 'x'")) {
            assertThat(catchThrowable(() -> database.withConnection(connection -> {
                try (var statement = connection.createStatement()) {
                    return statement.execute(sql);
                }
            }))).as(sql).hasStackTraceContaining("permission denied");
        }
    }
}
