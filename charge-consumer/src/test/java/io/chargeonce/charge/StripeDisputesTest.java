// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import com.stripe.net.Webhook;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.stripe.StripeDispute;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Disputes at Stripe: events that only name one, and the dispute as Stripe shows it. */
class StripeDisputesTest {

    private static final String SECRET = "whsec_test";
    private static final Instant DUE = Instant.now().plus(Duration.ofDays(9)).truncatedTo(ChronoUnit.SECONDS);
    private static StripeSimulator stripe;
    private static EngineFixture books;
    private static EngineFixture.Process process;
    private static int orders;
    private static int events;
    private static int disputes;
    private final String dispute = "du_" + ++disputes;

    @BeforeAll
    static void open() {
        stripe = StripeSimulator.start(StripeSimulatorSettings.inMemory());
        books = new EngineFixture();
        process = books.process(new StripeGateway(
                new StripeSettings("sk_test_1", stripe.apiBase().toString(), Duration.ofSeconds(5), Optional.of(SECRET))));
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        books.close();
    }

    private static String captured() {
        String id = books.accept("order-" + ++orders);
        process.drain();
        return id;
    }

    private static String intent(String payment) {
        return books.operation(payment).pspReference().orElseThrow();
    }

    private void becomes(String intent, String status, boolean refundable, Long... moved) {
        stripe.dispute(new StripeDispute(dispute, Instant.now(), intent, 1299, "eur", "fraudulent", status, refundable, DUE,
                List.of(moved)));
    }

    private WebhookInbox.Taken tell(String intent) throws Exception {
        return tell(intent, "evt_" + ++events);
    }

    private WebhookInbox.Taken tell(String intent, String event) throws Exception {
        String body = """
                {"id": "%s", "type": "charge.dispute.updated", "data": {"object": {"id": "%s", "object": "dispute", "amount": 1,
                "currency": "eur", "payment_intent": "%s", "status": "won", "metadata": {}}}}""".formatted(event, dispute, intent);
        String signature = Webhook.Signature.generateSignatureHeader(body, SECRET, Instant.now().getEpochSecond());
        return process.inbox.take("stripe", name -> Optional.of(signature).filter(header -> name.equals("Stripe-Signature")),
                body.getBytes(StandardCharsets.UTF_8));
    }

    private long rows(String where) {
        return books.count("FROM dispute WHERE reference = '" + dispute + "' AND " + where);
    }

    private static long incidents(String payment, String what) {
        return books.count("FROM audit_record WHERE action = 'incident.%s' AND resource_id = '%s'".formatted(what, payment));
    }

    @Test
    void a_dispute_counts_as_stripe_shows_it_and_not_as_the_event_says() throws Exception {
        String id = captured();
        becomes(intent(id), "needs_response", false, -1299L);
        assertThat(tell(intent(id))).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(rows("payment_id = '%s' AND stage = 'opened' AND funds = 'taken' AND amount = 1299 AND due_by = '%s'"
                .formatted(id, DUE))).isOne();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(incidents(id, "money_taken_back")).isZero();
    }

    @Test
    void each_change_is_published_once_and_audited() throws Exception {
        String id = captured();
        for (String status : List.of("needs_response", "under_review", "won")) {
            becomes(intent(id), status, false, -1299L);
            tell(intent(id));
            tell(intent(id));
        }
        String published = "FROM outbox WHERE topic LIKE '%%.disputes' AND convert_from(value, 'UTF8')::json ->> 'dispute' = '%s'";
        assertThat(books.count(published.formatted(dispute))).isEqualTo(3);
        assertThat(rows("revision = 3 AND stage = 'won' AND final")).isOne();
        assertThat(books.count("FROM audit_record WHERE resource_id = '%s' AND action LIKE 'dispute.%%'".formatted(id))).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"warning_needs_response,0,inquiry,not_taken,false", "warning_closed,0,inquiry,not_taken,true",
        "under_review,1,opened,taken,false", "lost,1,lost,taken,true", "won,2,won,returned,true"})
    void each_status_has_its_stage_and_the_balance_transactions_say_where_the_money_is(String status, int movements, String stage,
                                                                                       String funds, boolean isFinal)
            throws Exception {
        String id = captured();
        becomes(intent(id), status, false, List.of(-1299L, 1299L).subList(0, movements).toArray(Long[]::new));
        tell(intent(id));
        assertThat(rows("stage = '%s' AND funds = '%s' AND final = %s".formatted(stage, funds, isFinal))).isOne();
    }

    @Test
    void a_status_that_is_not_known_is_recorded_and_told() throws Exception {
        String id = captured();
        becomes(intent(id), "status_of_tomorrow", false, -1299L);
        tell(intent(id));
        assertThat(rows("stage = 'opened' AND funds = 'taken'")).isOne();
        assertThat(incidents(id, "money_taken_back")).isOne();
    }

    @Test
    void a_dispute_is_told_again_while_stripe_does_not_show_it() throws Exception {
        String id = captured();
        becomes(intent(id), "lost", false, -1299L);
        stripe.outage(Duration.ofHours(1));
        String event = "evt_" + ++events;
        assertThat(tell(intent(id), event)).isEqualTo(WebhookInbox.Taken.LATER);
        stripe.endOutage();
        assertThat(tell(intent(id), event)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(rows("stage = 'lost'")).isOne();
    }

    @Test
    void a_dispute_of_a_payment_that_is_not_here_is_kept_and_recorded_when_it_is_back() throws Exception {
        String id = captured();
        String intent = intent(id);
        books.rewrite("CREATE TABLE lost AS SELECT * FROM payment_attempt WHERE operation_id = '%s'; DELETE FROM payment_attempt "
                .formatted(id) + "WHERE operation_id = '" + id + "'");
        becomes(intent, "lost", false, -1299L);
        assertThat(tell(intent)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(rows("true")).isZero();
        assertThat(books.count("FROM unmatched_notice WHERE outcome = 'disputed'")).isOne();
        books.rewrite("INSERT INTO payment_attempt SELECT * FROM lost");
        assertThat(process.inbox.matchAgain()).isOne();
        assertThat(rows("payment_id = '%s' AND stage = 'lost' AND funds = 'taken' AND reason = 'fraudulent'".formatted(id))).isOne();
        assertThat(books.count("FROM unmatched_notice WHERE outcome = 'disputed'")).isZero();
    }

    @Test
    void while_a_dispute_has_the_money_nothing_is_refunded() throws Exception {
        String id = captured();
        becomes(intent(id), "needs_response", false, -1299L);
        tell(intent(id));
        assertThat(books.refund(id, OptionalLong.of(100), "r1")).isInstanceOf(Refunds.Answer.Disputed.class);
        becomes(intent(id), "won", false, -1299L, 1299L);
        tell(intent(id));
        assertThat(books.refund(id, OptionalLong.of(100), "r1")).isInstanceOf(Refunds.Answer.Accepted.class);
    }

    @Test
    void what_stripe_still_refunds_is_refunded_for_it_ends_the_loss() throws Exception {
        String id = captured();
        becomes(intent(id), "warning_needs_response", true, -1299L);
        tell(intent(id));
        assertThat(books.refund(id, OptionalLong.empty(), "")).isInstanceOf(Refunds.Answer.Accepted.class);
        process.drain();
        assertThat(books.refunded(id)).isEqualTo(1299);
        assertThat(incidents(id, "refunded_too_much")).isZero();
    }

    @Test
    void a_dispute_of_what_was_refunded_before_is_an_incident() throws Exception {
        String id = captured();
        books.refund(id, OptionalLong.of(500), "before");
        process.drain();
        becomes(intent(id), "needs_response", false, -1299L);
        tell(intent(id));
        tell(intent(id));
        assertThat(incidents(id, "refunded_too_much")).isOne();
    }

    @Test
    void a_refund_that_waits_while_a_dispute_takes_the_money_is_not_sent() throws Exception {
        String id = captured();
        assertThat(books.refund(id, OptionalLong.of(500), "under-way")).isInstanceOf(Refunds.Answer.Accepted.class);
        becomes(intent(id), "needs_response", false, -1299L);
        tell(intent(id));
        process.drain();
        String refund = "payment-" + id + "-refund-under-way";
        assertThat(books.state(refund)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(refund).failureCause()).contains("payment_disputed");
        assertThat(incidents(refund, "refunded_too_much")).isZero();
    }
}
