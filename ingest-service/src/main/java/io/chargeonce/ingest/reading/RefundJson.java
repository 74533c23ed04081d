// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.wire.PaymentJson;
import java.util.LinkedHashMap;
import java.util.Map;

/** A refund as its merchant sees it. */
public final class RefundJson {

    private RefundJson() {}

    public static String path(PaymentId payment) {
        return Contract.PAYMENTS + "/" + payment + "/refunds";
    }

    /** The answer to a request for a refund. A repeat gets the refund as it stands now. */
    public static Answer accepted(Operation refund, boolean isNew) {
        var headers = new LinkedHashMap<String, String>();
        headers.put("Content-Type", "application/json");
        headers.put("Location", path(refund.accepted().payment()) + "/" + refund.id());
        if (!isNew) {
            headers.put("Idempotent-Replayed", "true");
        }
        return new Answer(202, headers, PaymentJson.write(json(refund, status(refund))), isNew ? "accepted" : "replayed");
    }

    static Map<String, Object> now(Operation refund) {
        Map<String, Object> json = json(refund, status(refund));
        json.put("accepted_at", refund.accepted().at().toString());
        refund.settledAt().ifPresent(at -> json.put("settled_at", at.toString()));
        return json;
    }

    private static Map<String, Object> json(Operation refund, PaymentStatus status) {
        PaymentId payment = refund.accepted().payment();
        Money money = refund.accepted().request().money();
        var json = new LinkedHashMap<String, Object>();
        json.put("id", refund.id());
        json.put("payment", payment.value());
        json.put("status", status.tag());
        json.put("amount", money.minorUnits());
        json.put("currency", money.currency());
        refund.accepted().request().reference().ifPresent(reference -> json.put("reference", reference));
        return json;
    }

    private static PaymentStatus status(Operation refund) {
        return PaymentStatus.of(refund.state(), refund.generation(), refund.sequence());
    }
}
