// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.reconcile.report.Report;
import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.booking.Bookings.Lie;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.settlement.SettlementKeys;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reports of Stripe and Adyen, as their simulators give them: about real movements, true and with each lie. */
class PspReportsTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static Books books;
    private static StripeSimulator stripe;
    private static AdyenSimulator adyen;

    @TempDir
    private Path folder;

    @BeforeAll
    static void open() {
        books = new Books();
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
        adyen = AdyenSimulator.start(AdyenSimulatorSettings.inMemory().storing("pm_card_visa", "APPROVED").modificationLag(Duration.ZERO));
    }

    @AfterAll
    static void close() {
        adyen.close();
        stripe.close();
        books.close();
    }

    @BeforeEach
    void empty() throws Exception {
        books.forget();
        for (URI psp : List.of(stripe.apiBase(), adyen.apiBase().resolve("/"))) {
            send(HttpRequest.newBuilder(psp.resolve("/_sandbox/reset")).POST(HttpRequest.BodyPublishers.noBody()));
        }
        stripe.bookings().tellTheTruth();
        adyen.bookings().tellTheTruth();
    }

    private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
        return answer.body();
    }

    private static void atStripe(String path, Map<String, String> form) throws Exception {
        String body = form.entrySet().stream().map(one -> URLEncoder.encode(one.getKey(), StandardCharsets.UTF_8) + "="
                + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8)).collect(Collectors.joining("&"));
        send(HttpRequest.newBuilder(stripe.apiBase().resolve(path)).header("Authorization", "Bearer sk_test_sandbox")
                .header("Content-Type", "application/x-www-form-urlencoded").POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static void chargeAtStripe(PspKey key, String amount, String currency) throws Exception {
        atStripe("/v1/payment_intents", Map.of("amount", amount, "currency", currency, "payment_method", "pm_card_visa",
                "payment_method_types[]", "card", "confirm", "true", "metadata[attempt_key]", key.value()));
    }

    private static void atAdyen(String path, String body) throws Exception {
        send(HttpRequest.newBuilder(URI.create(adyen.apiBase() + path)).header("x-api-key", AdyenSimulatorSettings.API_KEY)
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static void chargeAtAdyen(PspKey key) throws Exception {
        atAdyen("/payments", """
                {"merchantAccount": "%s", "reference": "%s", "amount": {"currency": "EUR", "value": 1299},
                 "paymentMethod": {"type": "scheme", "storedPaymentMethodId": "pm_card_visa"}, "shopperReference": "pm_card_visa",
                 "shopperInteraction": "ContAuth", "recurringProcessingModel": "CardOnFile", "returnUrl": "https://x.example",
                 "metadata": {"attempt_key": "%s"}}
                """.formatted(AdyenSimulatorSettings.MERCHANT_ACCOUNT, key, key));
    }

    private static List<Movement> movements(String psp) {
        return psp.equals("stripe") ? stripe.movements() : adyen.movements();
    }

    private Source report(String psp) throws IOException {
        Instant now = Instant.now().plus(1, ChronoUnit.MINUTES).truncatedTo(ChronoUnit.SECONDS);
        if (psp.equals("stripe")) {
            return new StripeSource(new StripeSettings("sk_test_sandbox", stripe.apiBase().toString(), Duration.ofSeconds(20)),
                    now.minus(1, ChronoUnit.DAYS), now);
        }
        Path file = folder.resolve("settlement_detail_report_batch_1.csv");
        Files.writeString(file, adyen.settlementReport());
        return new Source.OfFile(file, Report.Format.ADYEN.report("adyen"));
    }

    private List<String> findings(String psp) throws IOException {
        return findings(psp, report(psp));
    }

    private static List<String> findings(String psp, Source source) {
        var request = new Reconciliation.Request(psp, Optional.of(source), Optional.of(Instant.now().minus(2, ChronoUnit.DAYS)),
                Optional.of(Instant.now().plus(1, ChronoUnit.MINUTES)), Duration.ofHours(1), true, 100);
        return new Reconciliation(books.database, SettlementKeys.NONE).run(request).totals().sums().stream()
                .map(sum -> "%s %d %s %d/%d".formatted(sum.finding().tag(), sum.items(), sum.currency(), sum.expected(), sum.booked()))
                .toList();
    }

    private static void charge(String psp, PspKey key) throws Exception {
        if (psp.equals("stripe")) {
            chargeAtStripe(key, "1299", "eur");
        } else {
            chargeAtAdyen(key);
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            stripe, succeeded, ,               agrees 1 EUR 1299/1299
            stripe, unknown,   ,               resolves 1 EUR 1299/1299
            stripe, succeeded, MISSING,        missing 1 EUR 1299/0
            stripe, succeeded, TWICE,          duplicate 1 EUR 1299/2598
            stripe, succeeded, MORE,           over 1 EUR 1299/1300
            stripe, succeeded, LESS,           under 1 EUR 1299/1298
            stripe, succeeded, OTHER_CURRENCY, currency 1 USD 0/1299
            adyen,  succeeded, ,               agrees 1 EUR 1299/1299
            adyen,  unknown,   ,               resolves 1 EUR 1299/1299
            adyen,  succeeded, MISSING,        missing 1 EUR 1299/0
            adyen,  succeeded, TWICE,          duplicate 1 EUR 1299/2598
            adyen,  succeeded, MORE,           over 1 EUR 1299/1300
            adyen,  succeeded, LESS,           under 1 EUR 1299/1298
            adyen,  succeeded, OTHER_CURRENCY, currency 1 USD 0/1299
            """)
    void the_psp_books_a_charge(String psp, String state, Lie lie, String finding) throws Exception {
        charge(psp, books.charge("order-1", psp, state));
        if (lie != null) {
            (psp.equals("stripe") ? stripe.bookings() : adyen.bookings()).lie(movements(psp).getFirst().id(), lie);
        }
        assertThat(findings(psp)).containsExactly(finding);
        assertThat(findings(psp)).as("read again").containsExactly(finding);
    }

    @Test
    void money_that_no_request_moved_is_strange() throws Exception {
        stripe.bookings().stranger("ch_3stranger", "pi_stranger", Optional.empty(), 500, "eur", "5.00", Instant.now());
        adyen.bookings().stranger("ABCDEFGH12345678", "ABCDEFGH12345678", Optional.of("another shop's"), 500, "eur", "5.00", Instant.now());
        assertThat(findings("stripe")).containsExactly("strange 1 EUR 0/500");
        assertThat(findings("adyen")).containsExactly("strange 1 EUR 0/500");
    }

    @Test
    void refunds_at_stripe_have_keys_of_their_own() throws Exception {
        chargeAtStripe(books.charge("order-1", "stripe", "succeeded"), "1299", "eur");
        PspKey refund = books.refund("order-1", "a", "stripe", "succeeded", 300);
        atStripe("/v1/refunds", Map.of("payment_intent", stripe.movements().getFirst().payment(), "amount", "300",
                "metadata[attempt_key]", refund.value()));
        assertThat(findings("stripe")).containsExactly("agrees 2 EUR 1599/1599");
    }

    @Test
    void refunds_at_adyen_are_found_by_their_own_reference_or_by_adyens() throws Exception {
        chargeAtAdyen(books.charge("order-1", "adyen", "succeeded"));
        PspKey refund = books.refund("order-1", "a", "adyen", "succeeded", 300);
        atAdyen("/payments/" + adyen.movements().getFirst().payment() + "/refunds", """
                {"merchantAccount": "%s", "reference": "%s", "amount": {"currency": "EUR", "value": 300}}
                """.formatted(AdyenSimulatorSettings.MERCHANT_ACCOUNT, refund));
        Awaitility.await().until(() -> adyen.movements().size() == 2);
        assertThat(findings("adyen")).containsExactly("agrees 2 EUR 1599/1599");

        // An account whose report has no column for the merchant's reference of a refund.
        books.execute("SET session_replication_role = replica; TRUNCATE settlement_line; UPDATE payment_attempt SET psp_reference = '%s' "
                .formatted(adyen.movements().getLast().id()) + "WHERE psp_key = '" + refund + "'; RESET session_replication_role");
        Path file = folder.resolve("without.csv");
        Files.writeString(file, adyen.settlementReport().replace("Modification Merchant Reference", "Reserved4"));
        assertThat(findings("adyen", new Source.OfFile(file, Report.Format.ADYEN.report("adyen"))))
                .containsExactly("agrees 2 EUR 1599/1599");
    }

    @Test
    void stripes_own_units_are_compared_in_ours() throws Exception {
        chargeAtStripe(books.charge("order-1", "stripe", "succeeded", 500, "JPY"), "500", "jpy");
        chargeAtStripe(books.charge("order-2", "stripe", "succeeded", 500, "ISK"), "50000", "isk");
        chargeAtStripe(books.charge("order-3", "stripe", "succeeded", 12340, "KWD"), "12340", "kwd");
        assertThat(findings("stripe")).containsExactly("agrees 1 ISK 500/500", "agrees 1 JPY 500/500", "agrees 1 KWD 12340/12340");
    }

    @Test
    void a_list_of_several_pages_is_read_whole_from_stripe_and_from_a_file() throws Exception {
        for (int i = 0; i < 120; i++) {
            chargeAtStripe(books.charge("order-" + i, "stripe", "succeeded"), "1299", "eur");
        }
        assertThat(findings("stripe")).containsExactly("agrees 120 EUR 155880/155880");
        Source kept = ((StripeSource) report("stripe")).keptIn(folder.resolve("kept.jsonl"));
        assertThat(findings("stripe", kept)).containsExactly("agrees 120 EUR 155880/155880");
        assertThat(books.count("FROM settlement_line")).isEqualTo(120);
    }

    @Test
    void a_refused_key_and_an_outage_are_told_apart() {
        var wrong = new StripeSource(new StripeSettings("not_a_key", stripe.apiBase().toString(), Duration.ofSeconds(20)), Instant.EPOCH,
                Instant.now());
        assertThatThrownBy(() -> findings("stripe", wrong)).isInstanceOfSatisfying(StripeSource.NotListed.class,
                refused -> assertThat(refused.isAway()).isFalse());
        stripe.outage(Duration.ofMinutes(1));
        try {
            assertThatThrownBy(() -> findings("stripe")).isInstanceOfSatisfying(StripeSource.NotListed.class,
                    away -> assertThat(away.isAway()).isTrue());
        } finally {
            stripe.endOutage();
        }
    }

    @Test
    void adyens_published_sample_is_read() throws Exception {
        Path file = folder.resolve("sample.csv");
        String header = adyen.settlementReport().lines().findFirst().orElseThrow().replace("Batch Number", "Reserved4");
        Files.writeString(file, header + "\n"
                + "TestCompany,TestMerchant,1813702551707653,3vpzf7,visa,2013-06-03 11:26:49,CET,Settled,1713702551795048,GBP,,5.00,1,GBP"
                + ",,4.88,,0.04,0.01,0.07,visaclassic,,\n"
                + "TestCompany,TestMerchant,1313642467023511,324959451,visa,2013-03-26 22:37:26,CET,Chargeback,2313642467170922,EUR,"
                + "349.99,,1,EUR,357.49,,7.5,,,,visaclassic,,\n");
        var request = new Reconciliation.Request("adyen", Optional.of(new Source.OfFile(file, Report.Format.ADYEN.report("adyen"))),
                Optional.empty(), Optional.empty(), Duration.ofDays(7), false, 100);
        Reconciliation.Result result = new Reconciliation(books.database, SettlementKeys.NONE).run(request);
        assertThat(result.others()).containsEntry("Chargeback", 1L);
        assertThat(result.totals().items(Finding.STRANGE)).isEqualTo(1);
        assertThat(result.from()).isEqualTo(Instant.parse("2013-06-03T09:26:49Z"));
    }
}
