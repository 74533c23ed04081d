// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import static org.assertj.core.api.Assertions.assertThat;

import com.adyen.util.HMACValidator;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.payment.DeclineKind;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Adyen's signed messages are read as. */
class AdyenWebhookTest {

    private static final String HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
    private static final PaymentId PAYMENT = PaymentId.derive("acme", new IdempotencyKey("order-1"));
    private static final PspKey KEY = PspKey.derive(PAYMENT, "charge", "", "adyen", 1);

    private final AdyenWebhook ours = new AdyenWebhook("Ours", () -> HMAC_KEY);

    private static String item(String account, String eventCode, boolean success, String reason, Map<String, String> more)
            throws Exception {
        String signature = new HMACValidator().calculateHMAC(String.join(":", "PSP1", "", account, KEY.value(), "1299", "EUR", eventCode,
                "" + success), HMAC_KEY);
        var additional = new StringBuilder("\"hmacSignature\":\"" + signature + "\"");
        more.forEach((name, value) -> additional.append(",\"%s\":\"%s\"".formatted(name, value)));
        return """
                {"NotificationRequestItem":{"additionalData":{%s},"amount":{"currency":"EUR","value":1299},"eventCode":"%s",
                 "eventDate":"2026-01-01T00:00:00+01:00","merchantAccountCode":"%s","merchantReference":"%s","paymentMethod":"visa",
                 "pspReference":"PSP1","reason":"%s","success":"%s"}}""".formatted(additional, eventCode, account, KEY, reason, success);
    }

    private List<Notice> read(String... items) {
        return ours.read(name -> Optional.empty(),
                "{\"live\":\"false\",\"notificationItems\":[%s]}".formatted(String.join(",", items)).getBytes(StandardCharsets.UTF_8))
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"CANCELLATION", "TECHNICAL_CANCEL", "CANCEL_OR_REFUND", "EXPIRE"})
    void money_that_goes_back_without_our_request_is_news(String eventCode) throws Exception {
        assertThat(read(item("Ours", eventCode, true, "why", Map.of()))).singleElement().extracting(notice -> notice.said().orElseThrow())
                .isEqualTo(new Notice.TakenBack(Optional.of(new Money(1299, "EUR")), eventCode, "why"));
    }

    @ParameterizedTest
    @CsvSource({"NOTIFICATION_OF_FRAUD,INQUIRY,,false", "REQUEST_FOR_INFORMATION,INQUIRY,,false",
        "NOTIFICATION_OF_CHARGEBACK,OPENED,,false", "CHARGEBACK,OPENED,TAKEN,false", "CHARGEBACK_REVERSED,OPENED,RETURNED,false",
        "SECOND_CHARGEBACK,LOST,TAKEN,true", "PREARBITRATION_WON,WON,RETURNED,true", "PREARBITRATION_LOST,LOST,TAKEN,true",
        "SCHEME_ARBITRATION_WON,WON,RETURNED,true", "SCHEME_ARBITRATION_LOST,LOST,TAKEN,true",
        "ISSUER_RESPONSE_TIMEFRAME_EXPIRED,WON,RETURNED,true", "DISPUTE_DEFENSE_PERIOD_ENDED,LOST,,true"})
    void a_message_about_a_dispute_says_how_far_it_has_come_and_where_the_money_is(String eventCode, Dispute.Stage stage,
                                                                                   Dispute.Funds funds, boolean isFinal)
            throws Exception {
        assertThat(dispute(eventCode, true)).satisfies(report -> {
            assertThat(report.reference()).isEqualTo("PSP1");
            assertThat(report.money()).hasValue(new Money(1299, "EUR"));
            assertThat(report.isKnown()).isTrue();
            assertThat(report.stage()).isEqualTo(stage);
            assertThat(report.funds()).isEqualTo(Optional.ofNullable(funds));
            assertThat(report.isFinal()).isEqualTo(isFinal);
            assertThat(report.dueBy()).hasValue(java.time.Instant.parse("2026-01-30T23:00:00Z"));
        });
    }

    @ParameterizedTest
    @CsvSource({"CHARGEBACK_OF_TOMORROW,true", "PREARBITRATION_ACCEPTED,true", "CHARGEBACK,false"})
    void a_message_of_the_family_whose_meaning_is_not_known_is_no_less_news(String eventCode, boolean success) throws Exception {
        assertThat(dispute(eventCode, success)).satisfies(report -> {
            assertThat(report.isKnown()).isFalse();
            assertThat(report.stageRank()).isZero();
            assertThat(report.funds()).isEmpty();
        });
    }

    private Dispute.Report dispute(String eventCode, boolean success) throws Exception {
        return ((Notice.Disputed) read(item("Ours", eventCode, success, "why", Map.of("defensePeriodEndsAt", "2026-01-31T00:00:00+01:00")))
                .getFirst().said().orElseThrow()).report();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CANCELLATION", "REPORT_AVAILABLE"})
    void what_was_not_done_and_what_is_about_no_money_is_none(String eventCode) throws Exception {
        assertThat(read(item("Ours", eventCode, false, "", Map.of()))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Blocked Card,restricted_card,HARD", "FRAUD,fraudulent,HARD", "Expired Card,expired_card,HARD",
        "Not enough balance,insufficient_funds,SOFT", "Refused,generic_decline,SOFT_ONCE", "words of tomorrow,generic_decline,SOFT_ONCE",
        "'',generic_decline,SOFT_ONCE"})
    void a_decline_has_the_code_of_its_reason(String reason, String code, DeclineKind kind) throws Exception {
        assertThat(declined(reason, Map.of())).satisfies(declined -> {
            assertThat(declined.code()).isEqualTo(code);
            assertThat(declined.kind()).isEqualTo(kind);
        });
    }

    @ParameterizedTest
    @CsvSource({"43 : Stolen card,HARD", "4: Pick up card,HARD", "51 : Not sufficient funds,SOFT", "DECLINED,SOFT_ONCE", "'',SOFT_ONCE"})
    void what_the_network_said_outranks_the_reason(String raw, DeclineKind kind) throws Exception {
        assertThat(declined("Refused", Map.of("refusalReasonRaw", raw)).kind()).isEqualTo(kind);
    }

    @Test
    void what_the_network_advises_outranks_all() throws Exception {
        assertThat(declined("Not enough balance", Map.of("refusalReasonRaw", "51 : Not sufficient funds", "merchantAdviceCode",
                "03 : Do not try again")).kind()).isEqualTo(DeclineKind.HARD);
    }

    private Outcome.Declined declined(String reason, Map<String, String> more) throws Exception {
        return (Outcome.Declined) ((Notice.Ended) read(item("Ours", "AUTHORISATION", false, reason, more)).getFirst().said().orElseThrow())
                .outcome();
    }

    @Test
    void what_is_about_another_account_says_so_and_is_not_passed_over() throws Exception {
        assertThat(read(item("Ours", "AUTHORISATION", true, "", Map.of()), item("Theirs", "AUTHORISATION", true, "", Map.of())))
                .extracting(Notice::account).containsExactly(Optional.empty(), Optional.of("Theirs"));
    }
}
