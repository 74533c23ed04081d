// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.methods;

import io.chargeonce.ingest.accept.PaymentBody;
import io.chargeonce.ingest.accept.RequestFingerprint;
import io.chargeonce.ingest.accept.TextField;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.payment.Rail;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.payment.method.PspToken;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a request to store a payment method strictly, and names everything that is wrong with it at once. */
final class MethodBody {

    private static final List<String> KNOWN = List.of("customer", "tokens");
    private static final int MOST_ACCOUNTS = 20;
    private static final int MOST_ERRORS = 20;

    /** @param tokens by the name of the account at a PSP, in the order of the names */
    record NewMethod(String customer, SortedMap<String, PspToken> tokens) {

        /** The same in one spelling, as a digest: it is stored and shows no token. */
        byte[] fingerprint() {
            var spelled = new TreeMap<String, List<String>>();
            tokens.forEach((psp, token) -> spelled.put(psp, List.of(token.customer().orElseThrow(), token.method())));
            String canonical =
                    new String(PaymentJson.write(new TreeMap<>(Map.of("customer", customer, "tokens", spelled))), StandardCharsets.UTF_8);
            return RequestFingerprint.of(ManageMethods.PATH, canonical).fingerprint();
        }
    }

    private final List<Problem.FieldError> errors = new ArrayList<>();

    private final KnownPsps known;

    private MethodBody(KnownPsps known) {
        this.known = known;
    }

    static Checked<NewMethod> read(byte[] body, KnownPsps known) {
        return switch (PaymentBody.parse(body, RequestForm.METHOD, 1)) {
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
            case Checked.Right<ObjectNode>(ObjectNode json) -> {
                List<String> cardNumbers = PaymentBody.cardNumbers(json, KNOWN);
                yield cardNumbers.isEmpty() ? new MethodBody(known).read(json)
                        : new Checked.Wrong<>(Problems.cardNumber(RequestForm.METHOD, cardNumbers));
            }
        };
    }

    private Checked<NewMethod> read(ObjectNode json) {
        onlyHas(json, KNOWN, "");
        String customer = text(json, "customer", "");
        var tokens = new TreeMap<String, PspToken>();
        JsonNode given = json.path("tokens");
        if (!given.isObject() || given.isEmpty() || given.size() > MOST_ACCOUNTS) {
            wrong("tokens", "is required: an object with the tokens of 1 to %d accounts at PSPs by their names, such as stripe and adyen"
                    .formatted(MOST_ACCOUNTS));
        } else {
            given.properties().forEach(each -> token(each.getKey(), each.getValue()).ifPresent(token -> tokens.put(each.getKey(), token)));
        }
        return errors.isEmpty() ? new Checked.Right<>(new NewMethod(customer, tokens))
                : new Checked.Wrong<>(Problems.invalid(List.copyOf(errors.subList(0, Math.min(errors.size(), MOST_ERRORS)))));
    }

    private Optional<PspToken> token(String psp, JsonNode given) {
        if (!known.canBeNamed(psp, Rail.CARD)) {
            wrong("tokens", "has a name that is no account at a PSP: " + known.names(Rail.CARD));
            return Optional.empty();
        }
        PspRules rules = known.of(psp).orElseThrow();
        List<String> fields = List.of(rules.customer().name(), rules.method().name());
        String place = "tokens." + psp;
        if (!given.isObject()) {
            wrong(place, "must be an object with " + String.join(" and ", fields));
            return Optional.empty();
        }
        int before = errors.size();
        onlyHas(given, fields, place + ".");
        var token = new PspToken(Optional.of(text(given, fields.getFirst(), place + ".")), text(given, fields.getLast(), place + "."));
        if (errors.size() == before && !rules.hasRoomFor(token)) {
            wrong(place, "must have a %s, and a %s".formatted(rules.customer(), rules.method()));
        }
        return Optional.of(token);
    }

    private void onlyHas(JsonNode json, List<String> known, String place) {
        var unknown = new TreeSet<>(json.propertyNames());
        unknown.removeAll(known);
        unknown.forEach(field -> wrong(place + field, "does not belong here; the fields are " + String.join(", ", known)));
    }

    private String text(JsonNode json, String field, String place) {
        JsonNode node = json.path(field);
        Optional<String> fault = node.isMissingNode() || node.isNull() ? Optional.of("is required") : TextField.fault(node);
        fault.ifPresent(detail -> wrong(place + field, detail));
        return fault.isPresent() ? "" : node.stringValue();
    }

    private void wrong(String field, String detail) {
        errors.add(new Problem.FieldError(field, detail));
    }
}
