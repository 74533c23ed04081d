// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.story.Life;
import io.chargeonce.dlq.story.Moment;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.wire.PaymentJson;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A dead refund is merged for itself: what its payment's charge once took says nothing about it. */
class RefundMergeTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private String payment;
    private String refund;

    @BeforeEach
    void refund() {
        payment = rows.accepted(QueueRows.MERCHANT);
        rows.succeed(payment);
        refund = "payment-" + payment + "-refund";
        rows.text("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
                charge_within_s)
                VALUES ('%s', '%s', 'refund', 'acme', 'refund-key', 300, 'EUR', 'pm_card_visa', 86400) RETURNING 1""".formatted(refund,
                payment));
        rows.text("UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_%s' WHERE operation_id = '%s' RETURNING 1"
                .formatted(payment, refund));
    }

    private static Plan plan() {
        return Plan.of(rows.queue(), DeadLetterFilter.everything());
    }

    private static SumsByKind<MoveResult> merge() {
        return new DlqRuns(rows.queue()).unattended(RunKind.MERGE, plan(), AuditContext.of("ann", Optional.of("a test")),
                RunTerms.UNATTENDED);
    }

    @Test
    void a_dead_refund_goes_back_to_the_front_and_its_captured_payment_settles_nothing() {
        rows.fail(refund, "the PSP answered 500");
        int step = rows.operation(payment).step();
        assertThat(plan().standings().of(MoneyStatus.RECHARGEABLE).moneyLines()).containsExactly("3.00 EUR");
        assertThat(merge().of(MoveResult.REENTERED).count()).isEqualTo(1);
        assertThat(merge().total().count()).isZero();

        Operation back = rows.operation(refund);
        assertThat(back.state()).isEqualTo(OperationState.ACCEPTED);
        assertThat(back.kind()).isEqualTo(OperationKind.REFUND);
        assertThat(back.generation()).isEqualTo(2);
        assertThat(back.capture()).isPresent();
        var work =
                PaymentJson.MAPPER.readTree(rows.text("SELECT convert_from(value, 'UTF8') FROM outbox WHERE topic = 'payments.requests'"));
        assertThat(work.path("operation").asString()).isEqualTo("refund");
        assertThat(rows.staged("payments.requests", refund)).isEqualTo("record");
        assertThat(rows.staged("payments.requests", payment)).isEqualTo("nothing");
        assertThat(rows.operation(payment).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(rows.operation(payment).step()).isEqualTo(step);
    }

    @Test
    void once_merged_it_is_given_back_under_another_key_and_ends() {
        rows.fail(refund, "the PSP answered 500");
        String first = rows.operation(refund).attemptKey().value();
        merge();
        rows.succeed(refund);

        assertThat(rows.operation(refund).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(rows.operation(refund).attemptKey().value()).isNotEqualTo(first);
        assertThat(rows.text("SELECT count(*) FROM payment_attempt WHERE operation = 'refund' AND state = 'succeeded'")).isEqualTo("1");
        assertThat(rows.letter(refund)).isEqualTo("merged/2");
    }

    @Test
    void a_payments_life_tells_what_was_given_back() {
        rows.succeed(refund);
        assertThat(Life.of(rows.queue(), payment).orElseThrow().moments()).filteredOn(Moment.GaveBack.class::isInstance)
                .extracting(Moment.GaveBack.class::cast).singleElement().satisfies(back -> {
                    assertThat(back.id()).isEqualTo(refund);
                    assertThat(back.kind()).isEqualTo("refund");
                    assertThat(back.money()).isEqualTo(new Money(300, "EUR"));
                    assertThat(back.state()).isEqualTo("succeeded");
                });
        assertThat(Life.of(rows.queue(), refund).orElseThrow().moments()).noneMatch(Moment.GaveBack.class::isInstance);
    }
}
