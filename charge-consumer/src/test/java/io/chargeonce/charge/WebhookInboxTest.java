// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.psp.Notice;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Signed webhooks about payments that others have locked. */
class WebhookInboxTest {

    private static final int LOCKED = 8;
    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;
    private List<String> payments;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @AfterAll
    static void closeBooks() throws Exception {
        books.close();
    }

    @BeforeEach
    void charge() {
        process = books.forget().process(psp);
        payments = IntStream.rangeClosed(0, LOCKED).mapToObj(order -> books.accept("order-" + order)).toList();
        process.drain();
        psp.tells = payments.stream().map(payment -> new Notice("about-" + payment, books.operation(payment).attemptKey(),
                Optional.empty(), Optional.of(new Notice.Ended(Optional.of(new Money(1299, "EUR")), false, new Outcome.Charged("pi_1")))))
                .toList();
    }

    private WebhookInbox.Taken take(int payment, CountDownLatch read) {
        return process.inbox.take("fake", header -> {
            read.countDown();
            return Optional.of("signed");
        }, new byte[] {(byte) payment});
    }

    private Connection lockAllButTheLast() throws SQLException {
        Connection elsewhere = DriverManager.getConnection(books.url);
        elsewhere.setAutoCommit(false);
        elsewhere.createStatement()
                .execute("SELECT FROM chargeonce.operation_state WHERE operation_id <> '" + payments.getLast() + "' FOR UPDATE");
        return elsewhere;
    }

    @Test
    void webhooks_that_wait_for_locked_payments_take_no_connection_from_the_others() throws Exception {
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor(); Connection elsewhere = lockAllButTheLast()) {
            var read = new CountDownLatch(LOCKED);
            var waiting = IntStream.range(0, LOCKED).mapToObj(payment -> CompletableFuture.supplyAsync(() -> take(payment, read), callers))
                    .toList();
            read.await();

            assertThat(take(LOCKED, read)).isEqualTo(WebhookInbox.Taken.YES);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);

            elsewhere.rollback();
            assertThat(waiting).allSatisfy(taken -> assertThat(taken.join()).isEqualTo(WebhookInbox.Taken.YES));
        }
    }

    @Test
    void a_webhook_whose_payment_stays_locked_must_be_sent_again() throws Exception {
        try (Connection elsewhere = lockAllButTheLast()) {
            assertThat(take(0, new CountDownLatch(1))).isEqualTo(WebhookInbox.Taken.LATER);
            elsewhere.rollback();
        }
        assertThat(take(0, new CountDownLatch(1))).isEqualTo(WebhookInbox.Taken.YES);
    }
}
