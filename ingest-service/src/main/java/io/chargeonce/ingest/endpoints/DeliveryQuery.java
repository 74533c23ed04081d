// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.endpoints;

import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.DeliveryBook.Position;
import io.chargeonce.endpoints.DeliveryBook.Window;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which page of an endpoint's deliveries a query asks for. */
record DeliveryQuery(Optional<String> state, int limit, Optional<Position> after) {

    private static final int USUAL_PAGE = 20;
    private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    static Checked<DeliveryQuery> read(Map<String, List<String>> parameters) {
        var errors = new ArrayList<Problem.FieldError>();
        Optional<String> state = one(parameters, "state");
        Optional<String> limit = one(parameters, "limit");
        Optional<Position> after = one(parameters, "cursor").flatMap(DeliveryQuery::position);
        if (parameters.containsKey("state") && state.filter(DeliveryBook.STATES::contains).isEmpty()) {
            errors.add(new Problem.FieldError("state", "must be one of " + String.join(", ", DeliveryBook.STATES)));
        }
        if (parameters.containsKey("limit") && limit.filter(text -> text.matches("[1-9]\\d?|100")).isEmpty()) {
            errors.add(new Problem.FieldError("limit", "must be one whole number from 1 to 100"));
        }
        if (parameters.containsKey("cursor") && after.isEmpty()) {
            errors.add(new Problem.FieldError("cursor", "must be one next_cursor of an earlier page, unchanged"));
        }
        return errors.isEmpty() ? new Checked.Right<>(new DeliveryQuery(state, limit.map(Integer::valueOf).orElse(USUAL_PAGE), after))
                : new Checked.Wrong<>(Problems.badDeliveryQuery("state, limit and cursor", errors));
    }

    /** The time whose deliveries are to be sent again; empty if the query names none. */
    static Checked<Optional<Window>> window(Map<String, List<String>> parameters) {
        var errors = new ArrayList<Problem.FieldError>();
        Optional<Instant> since = one(parameters, "since").flatMap(DeliveryQuery::time);
        Optional<Instant> until = one(parameters, "until").flatMap(DeliveryQuery::time);
        if (since.isEmpty() && (parameters.containsKey("since") || parameters.containsKey("until"))) {
            errors.add(new Problem.FieldError("since", "must be one time such as 2026-11-01T12:00:00Z"));
        }
        if (parameters.containsKey("until") && until.filter(end -> since.filter(end::isAfter).isPresent()).isEmpty()) {
            errors.add(new Problem.FieldError("until", "must be one time such as 2026-11-01T13:00:00Z, later than since"));
        }
        return errors.isEmpty() ? new Checked.Right<>(since.map(begin -> new Window(begin, until)))
                : new Checked.Wrong<>(Problems.badDeliveryQuery("since and until", errors));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.parse(text)).filter(time -> !time.isBefore(FIRST) && !time.isAfter(LAST));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Empty if it was not sent, or not once. */
    private static Optional<String> one(Map<String, List<String>> parameters, String name) {
        List<String> values = parameters.getOrDefault(name, List.of());
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    /** Clients see an opaque text. */
    static String cursor(DeliveryBook.Entry last) {
        return Base64.getUrlEncoder().withoutPadding()
                .encodeToString((last.createdAt() + " " + last.webhook()).getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<Position> position(String cursor) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8).split(" ", -1);
            return parts.length != 2 || !parts[1].matches("msg_[0-9a-f]{32}") ? Optional.empty()
                    : time(parts[0]).map(createdAt -> new Position(createdAt, parts[1]));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
