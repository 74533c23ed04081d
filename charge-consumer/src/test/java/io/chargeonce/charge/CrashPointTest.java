// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Coalescer;
import io.chargeonce.payment.OperationState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A process dies at each exact point of a charge. Another one, which does not know about it, gets the record again and runs its resolver.
 * Each time the payment is settled, and the PSP's ledger shows one capture.
 */
class CrashPointTest {

    private EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process dying;
    private EngineFixture.Process successor;
    private String payment;
    private ConsumerRecord<byte[], byte[]> record;

    @BeforeEach
    void accept() {
        books = new EngineFixture();
        dying = books.mortalProcess(psp);
        successor = books.mortalProcess(psp);
        payment = books.accept("order-1");
        record = books.takeWork().getFirst();
    }

    @AfterEach
    void close() throws Exception {
        books.close();
    }

    @Test
    void killed_before_the_psp_call() {
        psp.then(FakePsp.DIE_BEFORE);
        assertThatThrownBy(() -> dying.handle(record)).isInstanceOf(FakePsp.Died.class);
        assertThat(psp.captures).isEmpty();
        recoverAndCheck();
    }

    @Test
    void killed_during_the_psp_call_after_the_money_moved() {
        psp.then(FakePsp.DIE_AFTER);
        assertThatThrownBy(() -> dying.handle(record)).isInstanceOf(FakePsp.Died.class);
        assertThat(psp.captures).hasSize(1);
        recoverAndCheck();
    }

    @Test
    void killed_after_the_psp_call_and_before_our_commit() {
        // The answer arrives, and the transaction that should record it never begins.
        psp.then((fake, charge) -> {
            var answer = FakePsp.SUCCEED.charge(fake, charge);
            dying.resolutions.close();
            Thread.currentThread().interrupt();
            return answer;
        });
        assertThatThrownBy(() -> dying.handle(record)).isInstanceOf(Coalescer.Overloaded.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(books.state(payment)).isEqualTo(OperationState.PROCESSING);
        recoverAndCheck();
    }

    @Test
    void killed_after_our_commit() {
        books.process(psp).handle(record);
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        recoverAndCheck();
    }

    @Test
    void killed_before_the_offset_commit_with_the_payment_waiting_in_a_tier() {
        psp.then(FakePsp.FAIL);
        books.process(psp).handle(record);
        assertThat(books.state(payment)).isEqualTo(OperationState.SCHEDULED);
        recoverAndCheck();
    }

    @Test
    void a_zombie_that_calls_the_psp_after_its_lease_ended_charges_nothing() {
        // It stalls between its claim and its call; the successor finds nothing executed and cancels the attempt.
        psp.then((zombie, charge) -> {
            Waiting.until(() -> successor.resolver.runOnce() > 0);
            return FakePsp.SUCCEED.charge(zombie, charge);
        });
        dying.handle(record);
        assertThat(psp.captures).isEmpty();
        assertThat(books.state(payment)).isEqualTo(OperationState.SCHEDULED);
        recoverAndCheck();
    }

    private void recoverAndCheck() {
        successor.handle(record);
        Waiting.until(() -> {
            successor.resolver.runOnce();
            successor.drain();
            return books.state(payment) == OperationState.SUCCEEDED;
        });
        successor.handle(record);
        assertThat(psp.captures).hasSize(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(books.count("FROM payment_attempt WHERE NOT failed_definite")).isEqualTo(1);
    }
}
