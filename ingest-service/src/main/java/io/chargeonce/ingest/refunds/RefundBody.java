// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.refunds;

import io.chargeonce.ingest.accept.RequestFingerprint;
import io.chargeonce.ingest.accept.PaymentBody;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.reading.RefundJson;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a request for a refund strictly, and names everything that is wrong with it at once. */
final class RefundBody {

    private static final List<String> KNOWN = List.of("amount", "reference");
    private static final int MOST_ERRORS = 20;

    private RefundBody() {}

    static Checked<Refunds.RefundRequest> read(byte[] body, String merchant, PaymentId payment) {
        return switch (PaymentBody.parse(body, RequestForm.REFUND, 1)) {
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
            case Checked.Right<ObjectNode> right -> read(right.value(), merchant, payment);
        };
    }

    private static Checked<Refunds.RefundRequest> read(ObjectNode json, String merchant, PaymentId payment) {
        List<String> cardNumbers = PaymentBody.cardNumbers(json, KNOWN);
        if (!cardNumbers.isEmpty()) {
            return new Checked.Wrong<>(Problems.cardNumber(RequestForm.REFUND, cardNumbers));
        }
        List<Problem.FieldError> errors = errors(json);
        if (!errors.isEmpty()) {
            return new Checked.Wrong<>(Problems.invalid(errors));
        }
        return new Checked.Right<>(new Refunds.RefundRequest(merchant, payment,
                json.has("amount") ? OptionalLong.of(json.path("amount").longValue()) : OptionalLong.empty(),
                Optional.of(json.path("reference")).filter(JsonNode::isString).map(JsonNode::stringValue)));
    }

    private static List<Problem.FieldError> errors(ObjectNode json) {
        var errors = new ArrayList<Problem.FieldError>();
        JsonNode amount = json.path("amount");
        // A null is a mistake of the sender's: taken for "none", it would give all of the money back.
        if (json.has("amount") && !(amount.isIntegralNumber() && amount.canConvertToLong()
                && amount.longValue() >= Money.SMALLEST && amount.longValue() <= Money.LARGEST)) {
            errors.add(new Problem.FieldError("amount",
                    "must be a whole number of minor units from %d to %d; without it, all that is left goes back"
                            .formatted(Money.SMALLEST, Money.LARGEST)));
        }
        JsonNode reference = json.path("reference");
        if (json.has("reference") && !(reference.isString() && Refunds.RefundRequest.isReference(reference.stringValue()))) {
            errors.add(new Problem.FieldError("reference", "must be 1 to 64 letters, digits, dots, colons, dashes or underscores"));
        }
        var unknown = new TreeSet<>(json.propertyNames());
        unknown.removeAll(KNOWN);
        unknown.stream().limit(MOST_ERRORS).forEach(field -> errors.add(
                new Problem.FieldError(field, "is not a field of a refund; the fields are " + String.join(", ", KNOWN))));
        return errors;
    }

    /** The same refund in one spelling; with its payment, for a key names one of one payment. */
    static RequestFingerprint command(Refunds.RefundRequest ask) {
        var fields = new TreeMap<String, Object>();
        fields.put("payment", ask.payment().value());
        ask.amount().ifPresent(amount -> fields.put("amount", amount));
        ask.reference().ifPresent(reference -> fields.put("reference", reference));
        return RequestFingerprint.of(RefundJson.path(ask.payment()), new String(PaymentJson.write(fields), StandardCharsets.UTF_8));
    }
}
