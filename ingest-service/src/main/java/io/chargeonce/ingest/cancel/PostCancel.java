// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.cancel;

import io.chargeonce.http.Answer;
import io.chargeonce.ingest.accept.PaymentBody;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.merchants.Merchant;
import io.chargeonce.ingest.transport.RequestBody;
import io.chargeonce.payment.PaymentId;
import io.helidon.webserver.http.ServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Handles one request to cancel a payment. The payment names the cancel, so it needs no key. Any thread. */
public final class PostCancel {

    private static final List<String> KNOWN = List.of("reason");
    private static final int LONGEST_REASON = 200;
    private static final int MOST_ERRORS = 20;

    private final RequestBody body;
    private final CancelPayment cancel;

    public PostCancel(RequestBody body, CancelPayment cancel) {
        this.body = body;
        this.cancel = cancel;
    }

    public Answer answer(Merchant merchant, ServerRequest request) {
        Optional<PaymentId> payment = PaymentId.parse(request.path().pathParameters().get("id"));
        return payment.isEmpty() ? Problems.notFound().answer()
                : body.read(request, RequestForm.CANCEL)
                        .answer(bytes -> reason(bytes).answer(reason -> cancel.cancel(merchant.id(), payment.get(), reason)));
    }

    private static Checked<Optional<String>> reason(byte[] bytes) {
        return switch (PaymentBody.parse(bytes, RequestForm.CANCEL, 1)) {
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
            case Checked.Right<ObjectNode> right -> reason(right.value());
        };
    }

    private static Checked<Optional<String>> reason(ObjectNode json) {
        List<String> cardNumbers = PaymentBody.cardNumbers(json, KNOWN);
        if (!cardNumbers.isEmpty()) {
            return new Checked.Wrong<>(Problems.cardNumber(RequestForm.CANCEL, cardNumbers));
        }
        var errors = new ArrayList<Problem.FieldError>();
        JsonNode reason = json.path("reason");
        if (json.has("reason") && !(reason.isString() && isReason(reason.stringValue()))) {
            errors.add(new Problem.FieldError("reason",
                    "must be a text of 1 to %d characters without control characters".formatted(LONGEST_REASON)));
        }
        var unknown = new TreeSet<>(json.propertyNames());
        unknown.removeAll(KNOWN);
        unknown.stream().limit(MOST_ERRORS)
                .forEach(field -> errors.add(new Problem.FieldError(field, "is not a field of a cancel; the only field is reason")));
        return errors.isEmpty() ? new Checked.Right<>(Optional.of(reason).filter(JsonNode::isString).map(JsonNode::stringValue))
                : new Checked.Wrong<>(Problems.invalid(errors));
    }

    private static boolean isReason(String text) {
        return !text.isBlank() && text.codePointCount(0, text.length()) <= LONGEST_REASON
                && text.codePoints().noneMatch(Character::isISOControl);
    }
}
