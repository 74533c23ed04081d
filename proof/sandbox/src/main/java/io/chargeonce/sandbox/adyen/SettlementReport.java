// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.booking.Bookings;
import io.chargeonce.sandbox.psp.Movement;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The settlement details report, with the columns of Adyen's sample: everything that moved, as one batch, and a fee. It is downloaded with
 * the API's key.
 *
 * <pre>GET /reports/download/MerchantAccount/ACCOUNT/settlement_detail_report_batch_1.csv</pre>
 */
record SettlementReport(Bookings bookings) {

    private static final Pattern PATH = Pattern.compile("/reports/download/MerchantAccount/[^/]+/settlement_detail_report_batch_1\\.csv");
    private static final String HEADER = "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,"
            + "TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,"
            + "Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,"
            + "Modification Merchant Reference,Batch Number\n";
    private static final String LINE = "Company,%1$s,%2$s,%3$s,visa,%4$s,UTC,%5$s,%6$s,%7$s,%8$s,%9$s,1,%7$s,%8$s,%9$s,,,,,visa,%10$s,1\n";
    private static final String FEE = "Company,%s,,,,2026-01-01 00:00:00,UTC,Fee,Transaction Fees,EUR,,,,EUR,0.10,,,,,,,,1\n";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

    String csv() {
        var csv = new StringBuilder(HEADER);
        bookings.all().forEach(one -> csv.append(line(one)));
        return csv.append(FEE.formatted(AdyenSettings.MERCHANT_ACCOUNT)).toString();
    }

    /** A payment that is captured at once has its own reference as that of the capture. */
    private static String line(Bookings.Booking one) {
        Movement movement = one.movement();
        boolean charge = movement.kind() == Movement.Kind.CAPTURE;
        String currency = movement.currency().toUpperCase(Locale.ROOT);
        String key = movement.metadata().getOrDefault("attempt_key", movement.reference().orElse(""));
        return LINE.formatted(AdyenSettings.MERCHANT_ACCOUNT, movement.payment(), key, TIME.format(movement.at()),
                charge ? "Settled" : "Refunded", movement.id(), currency, charge ? "" : movement.value(), charge ? movement.value() : "",
                charge ? "" : movement.reference().orElse(""));
    }

    /** Empty for a request that is no download of this report. */
    Optional<HttpAnswer> answer(HttpRequest request) {
        if (!request.method().equals("GET") || !PATH.matcher(request.path()).matches()) {
            return Optional.empty();
        }
        if (!request.header("x-api-key").equals(Optional.of(AdyenSettings.API_KEY))) {
            return Optional.of(new HttpAnswer.Full(401, Map.of(), new byte[0]));
        }
        return Optional.of(new HttpAnswer.Full(200, Map.of("Content-Type", "text/csv"), csv().getBytes(StandardCharsets.UTF_8)));
    }
}
