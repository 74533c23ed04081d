// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.booking.Bookings;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.FaultRules;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.LockStripes;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspLedger;
import io.chargeonce.sandbox.psp.PspServer;
import io.chargeonce.sandbox.webhook.Afterwards;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A server that answers the payment part of Adyen's Checkout API v71 as Adyen publishes it: payments, cancels,
 * reversals and refunds whose results come later by signed webhook, idempotency keys, result codes on request. It remembers
 * every request and every movement of money; with a directory all of it survives a SIGKILL. Any thread may call it.
 */
public final class AdyenSimulator extends PspServer {
    private final AdyenSimulatorSettings settings;
    private final AdyenObjects objects;
    private final PspLedger<AdyenChange, AdyenReply> ledger;
    private final SettlementReport report;

    private AdyenSimulator(AdyenSimulatorSettings settings, AdyenObjects objects, PspLedger<AdyenChange, AdyenReply> ledger,
                           LockStripes locks,
                           SettlementReport report, Afterwards afterwards) {
        super("Adyen", settings.address(), settings.clock(),
                new AdyenApi(objects, new PaymentEndpoint(settings.storedCards()),
                        new ModificationEndpoints(objects, settings.modificationLag())),
                ledger, locks, new FaultRules("Adyen", List.of(AdyenOperation.values()), fault -> true), report::answer,
                new AdyenDisputeBook(objects, ledger, locks, settings.clock()), afterwards);
        this.report = report;
        this.settings = settings;
        this.objects = objects;
        this.ledger = ledger;
    }

    /** Starts a simulator. Throws {@link IllegalStateException} if its port or its directory is in use. */
    public static AdyenSimulator start(AdyenSimulatorSettings settings) {
        AdyenObjects objects = new AdyenObjects(settings.webhook().isPresent());
        var ledger = new PspLedger<>("adyen", settings.directory(), settings.keyLifetime(), objects, AdyenChange.class, AdyenReply.class);
        var locks = new LockStripes();
        var results = new ModificationResults(objects, ledger, locks);
        return new AdyenSimulator(settings, objects, ledger, locks, new SettlementReport(new Bookings(ledger)),
                Afterwards.start(() -> results.executeDue(settings.clock().instant()),
                        settings.webhook().map(webhook -> new AdyenWebhooks(webhook, objects, ledger))));
    }

    /** What clients take as the base address of the Checkout API, its version included, without a slash at its end. */
    public URI apiBase() {
        return URI.create(address() + "/v71");
    }

    /** What its settlement report says; a test may have it lie. */
    public Bookings bookings() {
        return report.bookings();
    }

    /** The settlement details report of everything that moved so far, as CSV. */
    public String settlementReport() {
        return report.csv();
    }

    /** Every cancel, reversal and refund that was received, oldest first, with its result if there is one. */
    public List<Modification> modifications() {
        return objects.modifications();
    }

    /**
     * Tells by webhook that the capture of an authorised payment failed, as the acquirer or the scheme may do days later. The
     * ledger keeps the capture: what comes of the money is settled outside the API.
     *
     * @param pspReference of a payment that exists
     */
    public void failCapture(String pspReference, String reason) {
        notifyOfCapture(pspReference, "CAPTURE_FAILED", reason);
    }

    /** Tells by webhook that the money was captured again, by Adyen itself. */
    public void recapture(String pspReference) {
        notifyOfCapture(pspReference, "CAPTURE", "Recaptured");
    }

    private void notifyOfCapture(String pspReference, String eventCode, String reason) {
        AdyenPayment payment = objects.payment(pspReference).orElseThrow();
        ledger.commit(
                AdyenChange.notified(new Notification(Ids.nextUpperCase(20), eventCode, Ids.nextUpperCase(16), Optional.of(pspReference),
                        payment.reference(), payment.amount(), settings.clock().instant(), true, reason, payment.brand())));
    }

    /**
     * The settlement details report, with the columns of Adyen's sample: everything that moved, as one batch, and a fee. It is downloaded
     * with the API's key.
     *
     * <pre>GET /reports/download/MerchantAccount/ACCOUNT/settlement_detail_report_batch_1.csv</pre>
     */
    private record SettlementReport(Bookings bookings) {

        private static final Pattern PATH =
                Pattern.compile("/reports/download/MerchantAccount/[^/]+/settlement_detail_report_batch_1\\.csv");
        private static final String HEADER =
                "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,"
                        + "TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,"
                        + "Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),"
                        + "Payment Method Variant,Modification Merchant Reference,Batch Number\n";
        private static final String LINE =
                "Company,%1$s,%2$s,%3$s,visa,%4$s,UTC,%5$s,%6$s,%7$s,%8$s,%9$s,1,%7$s,%8$s,%9$s,,,,,visa,%10$s,1\n";
        private static final String FEE = "Company,%s,,,,2026-01-01 00:00:00,UTC,Fee,Transaction Fees,EUR,,,,EUR,0.10,,,,,,,,1\n";
        private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

        String csv() {
            var csv = new StringBuilder(HEADER);
            bookings.all().forEach(one -> csv.append(line(one)));
            return csv.append(FEE.formatted(AdyenSimulatorSettings.MERCHANT_ACCOUNT)).toString();
        }

        /** A payment that is captured at once has its own reference as that of the capture. */
        private static String line(Bookings.Booking one) {
            Movement movement = one.movement();
            boolean charge = movement.kind() == Movement.Kind.CAPTURE;
            String currency = movement.currency().toUpperCase(Locale.ROOT);
            String key = movement.metadata().getOrDefault("attempt_key", movement.reference().orElse(""));
            return LINE.formatted(AdyenSimulatorSettings.MERCHANT_ACCOUNT, movement.payment(), key, TIME.format(movement.at()),
                    charge ? "Settled" : "Refunded", movement.id(), currency, charge ? "" : movement.value(),
                    charge ? movement.value() : "",
                    charge ? "" : movement.reference().orElse(""));
        }

        /** Empty for a request that is no download of this report. */
        Optional<HttpAnswer> answer(HttpRequest request) {
            if (!request.method().equals("GET") || !PATH.matcher(request.path()).matches()) {
                return Optional.empty();
            }
            if (!request.header("x-api-key").equals(Optional.of(AdyenSimulatorSettings.API_KEY))) {
                return Optional.of(new HttpAnswer.Full(401, Map.of(), new byte[0]));
            }
            return Optional.of(new HttpAnswer.Full(200, Map.of("Content-Type", "text/csv"), csv().getBytes(StandardCharsets.UTF_8)));
        }
    }
}
