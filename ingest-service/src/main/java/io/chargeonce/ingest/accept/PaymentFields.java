// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.payment.Initiator;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.PspUnits;
import io.chargeonce.payment.Rail;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Reads one request's fields and gathers what is wrong with each. A field that is null counts as left out. */
final class PaymentFields {

    static final List<String> KNOWN = List.of("amount", "currency", "payment_method", "customer", "reference",
            "description", "receipt_email", "rail", "initiator");
    private static final int MOST_ERRORS = 20;
    private static final Pattern EMAIL = Pattern.compile("[^@\\s]+@[^@\\s]+\\.[^@\\s.]+");

    private final JsonNode json;
    private final RequestForm form;
    private final List<Problem.FieldError> errors = new ArrayList<>();

    private PaymentFields(JsonNode json, RequestForm form) {
        this.json = json;
        this.form = form;
    }

    static Checked<PaymentRequest> read(JsonNode json, RequestForm form) {
        return new PaymentFields(json, form).read();
    }

    private Checked<PaymentRequest> read() {
        refuseUnknown();
        Optional<Long> amount = amount();
        Optional<String> currency = currency();
        Optional<String> method = required("payment_method");
        Optional<String> customer = text("customer");
        Optional<String> reference = text("reference");
        Optional<String> description = text("description");
        Optional<String> email = email();
        Optional<Initiator> initiator = initiator();
        String rail = text("rail").orElse(Rail.CARD.tag());
        if (!errors.isEmpty()) {
            return new Checked.Wrong<>(Problems.invalid(List.copyOf(errors.subList(0, Math.min(errors.size(), MOST_ERRORS)))));
        }
        if (!Rail.of(method.orElseThrow()).tag().equals(rail)) {
            return new Checked.Wrong<>(Problems.railNotAvailable());
        }
        var money = new Money(amount.orElseThrow(), currency.orElseThrow());
        if (Rail.of(method.orElseThrow()) == Rail.BANK_DEBIT && !PspUnits.BANK.canSay(money)) {
            if (money.minorUnits() <= PspUnits.LARGEST_DEBIT) {
                return new Checked.Wrong<>(Problems.currencyNotTaken(money.currency()));
            }
            wrong("amount", "of a direct debit is at most %d".formatted(PspUnits.LARGEST_DEBIT));
            return new Checked.Wrong<>(Problems.invalid(List.copyOf(errors)));
        }
        return new Checked.Right<>(
                new PaymentRequest(money, method.orElseThrow(), customer, reference, description, email, initiator));
    }

    private void refuseUnknown() {
        var unknown = new TreeSet<>(json.propertyNames());
        unknown.removeAll(KNOWN);
        String known = (form == RequestForm.BATCH_LINE ? form.keyField() + ", " : "") + String.join(", ", KNOWN);
        unknown.forEach(field -> wrong(field, "is not a field of a payment request; the fields are " + known));
    }

    private Optional<Long> amount() {
        JsonNode amount = json.path("amount");
        if (isLeftOut(amount)) {
            return wrong("amount", "is required");
        }
        if (!amount.isIntegralNumber() || !amount.canConvertToLong()
                || amount.longValue() < Money.SMALLEST || amount.longValue() > Money.LARGEST) {
            return wrong("amount", "must be a whole number of minor units from %d to %d, without quotes, point or exponent"
                    .formatted(Money.SMALLEST, Money.LARGEST));
        }
        return Optional.of(amount.longValue());
    }

    private Optional<String> currency() {
        Optional<String> currency = required("currency");
        return currency.isEmpty() || Money.isCurrency(currency.get())
                ? currency
                : wrong("currency", "must be an ISO 4217 code in upper case, such as EUR");
    }

    /** As far as a PSP looks: a payment must not fail there for its receipt. */
    private Optional<String> email() {
        Optional<String> email = text("receipt_email");
        return email.isEmpty() || EMAIL.matcher(email.get()).matches()
                ? email : wrong("receipt_email", "must be an e-mail address, such as jane@example.com");
    }

    private Optional<Initiator> initiator() {
        Optional<String> text = text("initiator");
        Optional<Initiator> initiator = text.flatMap(Initiator::fromTag);
        return text.isPresent() && initiator.isEmpty() ? wrong("initiator", "must be one of " + String.join(", ", Initiator.TAGS))
                : initiator;
    }

    private Optional<String> required(String field) {
        return isLeftOut(json.path(field)) ? wrong(field, "is required") : text(field);
    }

    private Optional<String> text(String field) {
        JsonNode node = json.path(field);
        if (isLeftOut(node)) {
            return Optional.empty();
        }
        Optional<String> fault = TextField.fault(node);
        return fault.isPresent() ? wrong(field, fault.get()) : Optional.of(node.stringValue());
    }

    private static boolean isLeftOut(JsonNode node) {
        return node.isMissingNode() || node.isNull();
    }

    private <T> Optional<T> wrong(String field, String detail) {
        errors.add(new Problem.FieldError(field, detail));
        return Optional.empty();
    }
}
