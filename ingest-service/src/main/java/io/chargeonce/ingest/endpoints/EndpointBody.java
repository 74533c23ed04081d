// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.endpoints;

import io.chargeonce.endpoints.EndpointAddress;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.ingest.accept.PaymentBody;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads requests about endpoints strictly, and names everything that is wrong with one at once. */
final class EndpointBody {

    private static final List<String> OF_AN_ENDPOINT = List.of("url", "events");
    private static final List<String> OF_A_ROTATION = List.of("overlap_seconds");
    private static final int MOST_ERRORS = 20;
    private static final int LONGEST_OVERLAP = 7 * 24 * 3600;

    record Wanted(String url, List<String> events) {}

    private EndpointBody() {}

    static Checked<Wanted> endpoint(byte[] body, EndpointAddress addresses) {
        return switch (object(body, RequestForm.ENDPOINT, OF_AN_ENDPOINT)) {
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
            case Checked.Right<ObjectNode>(ObjectNode json) -> {
                List<Problem.FieldError> errors = unknown(json, OF_AN_ENDPOINT);
                if (!json.path("url").isString()) {
                    errors.add(new Problem.FieldError("url", "is required: an https address"));
                } else {
                    try {
                        addresses.checked(json.path("url").stringValue());
                    } catch (IllegalArgumentException why) {
                        errors.add(new Problem.FieldError("url", why.getMessage()));
                    }
                }
                if (json.has("events") && !areEvents(json.path("events"))) {
                    errors.add(new Problem.FieldError("events",
                            "must be a list of one or more of *, " + String.join(", ", EndpointTable.EVENTS)));
                }
                yield errors.isEmpty() ? new Checked.Right<>(new Wanted(json.path("url").stringValue(), events(json.path("events"))))
                        : new Checked.Wrong<>(Problems.invalid(errors));
            }
        };
    }

    private static boolean areEvents(JsonNode events) {
        return events.isArray() && !events.isEmpty() && events.valueStream().allMatch(event -> event.isString()
                && (event.stringValue().equals(EndpointTable.ALL_EVENTS) || EndpointTable.EVENTS.contains(event.stringValue())));
    }

    private static List<String> events(JsonNode events) {
        return events.isMissingNode() ? List.of(EndpointTable.ALL_EVENTS)
                : events.valueStream().map(JsonNode::stringValue).distinct().toList();
    }

    /** How long the old secret stays valid. */
    static Checked<Duration> rotation(byte[] body) {
        return switch (object(body, RequestForm.ROTATION, OF_A_ROTATION)) {
            case Checked.Wrong<ObjectNode> wrong -> new Checked.Wrong<>(wrong.problem());
            case Checked.Right<ObjectNode>(ObjectNode json) -> {
                List<Problem.FieldError> errors = unknown(json, OF_A_ROTATION);
                JsonNode overlap = json.path("overlap_seconds");
                if (json.has("overlap_seconds") && !(overlap.isIntegralNumber() && overlap.canConvertToInt() && overlap.intValue() >= 0
                        && overlap.intValue() <= LONGEST_OVERLAP)) {
                    errors.add(new Problem.FieldError("overlap_seconds",
                            "must be a whole number of seconds from 0 to %d".formatted(LONGEST_OVERLAP)));
                }
                yield errors.isEmpty() ? new Checked.Right<>(overlap.isMissingNode() ? Duration.ofDays(1)
                        : Duration.ofSeconds(overlap.intValue())) : new Checked.Wrong<>(Problems.invalid(errors));
            }
        };
    }

    private static Checked<ObjectNode> object(byte[] body, RequestForm form, List<String> known) {
        return switch (PaymentBody.parse(body, form, 1)) {
            case Checked.Wrong<ObjectNode> wrong -> wrong;
            case Checked.Right<ObjectNode> right -> {
                List<String> cardNumbers = PaymentBody.cardNumbers(right.value(), known);
                yield cardNumbers.isEmpty() ? right : new Checked.Wrong<>(Problems.cardNumber(form, cardNumbers));
            }
        };
    }

    private static List<Problem.FieldError> unknown(ObjectNode json, List<String> known) {
        var unknown = new TreeSet<>(json.propertyNames());
        unknown.removeAll(known);
        var errors = new ArrayList<Problem.FieldError>();
        unknown.stream().limit(MOST_ERRORS).forEach(field -> errors.add(
                new Problem.FieldError(field, "does not belong here; the fields are " + String.join(", ", known))));
        return errors;
    }
}
