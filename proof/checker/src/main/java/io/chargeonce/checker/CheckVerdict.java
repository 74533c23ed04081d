// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.finding.Event;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import io.chargeonce.checker.finding.Violation;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result of a check. Immutable.
 *
 * @param counts     the printed figures, in printed order; of payments, each the size of a set of ids
 * @param open       what is not at rest, where that is why nothing can be said
 * @param waiting    what is at rest only until a person acts
 * @param found      how many violations there are of each invariant
 * @param violations the first few thousand at most
 * @param timelines  by payment or dead letter, for the first hundred of those with a violation
 */
public record CheckVerdict(Kind kind, Map<String, Long> counts, Optional<String> open, Optional<String> waiting, Map<Invariant, Long> found,
        List<Violation> violations, Map<String, List<Event>> timelines) {

    /** UNKNOWN: nothing is wrong so far, but not everything had come to rest. */
    public enum Kind { BALANCED, BROKEN, UNKNOWN }

    private static final JsonMapper JSON = new JsonMapper();
    private static final int FIGURES_WIDTH = 70;

    static CheckVerdict of(CheckTotals totals, CheckEvidence evidence, Map<String, List<Event>> timelines) {
        var counts = new LinkedHashMap<String, Long>();
        counts.put("accepted", totals.accepted());
        for (State state : List.of(State.SUCCEEDED, State.DECLINED, State.DEAD, State.PURGED, State.CANCELED)) {
            counts.put(state.tag(), totals.count(state));
        }
        counts.put("in_flight", totals.inFlight());
        counts.put("psp_captures", totals.captures);
        for (PaymentCount count : PaymentCount.values()) {
            counts.put(count.tag(), (long) totals.findings.count(count));
        }
        Kind kind = kind(totals, evidence);
        return new CheckVerdict(kind, counts, kind == Kind.UNKNOWN ? Optional.of(totals.open()) : Optional.empty(), totals.waiting(),
                totals.findings.found(), totals.findings.violations(), timelines);
    }

    private static Kind kind(CheckTotals totals, CheckEvidence evidence) {
        if (!totals.findings.found().isEmpty()) {
            return Kind.BROKEN;
        }
        return totals.isAtRest() || evidence.inFlightAllowed() ? Kind.BALANCED : Kind.UNKNOWN;
    }

    public boolean balanced() {
        return kind == Kind.BALANCED;
    }

    public long count(String name) {
        return counts.get(name);
    }

    /** One line; violations and timelines follow the figures if there are any. */
    public String json() {
        var json = new LinkedHashMap<String, Object>();
        json.put("verdict", kind.name().toLowerCase(Locale.ROOT));
        json.put("balanced", balanced());
        json.putAll(counts);
        open.ifPresent(what -> json.put("open", what));
        waiting.ifPresent(what -> json.put("waiting", what));
        if (!violations.isEmpty()) {
            var times = new LinkedHashMap<String, Long>();
            found.forEach((invariant, count) -> times.put(invariant.id(), count));
            json.put("found", times);
            json.put("violations", violations.stream().map(CheckVerdict::json).toList());
            json.put("timelines", timelines);
        }
        return JSON.writeValueAsString(json);
    }

    private static Map<String, String> json(Violation violation) {
        var json = new LinkedHashMap<String, String>();
        json.put("invariant", violation.invariant().id());
        violation.subject().ifPresent(id -> json.put("id", id));
        json.put("found", violation.sentence());
        return json;
    }

    /** For people: all that was found, and the verdict last. */
    public String report() {
        return stories(violations.size()) + summary();
    }

    /** The first violations, each followed by the timeline of what it is about. */
    public String stories(int most) {
        var text = new StringBuilder();
        var told = new HashSet<String>();
        violations.stream().limit(most).forEach(violation -> {
            text.append(violation).append('\n');
            violation.subject().filter(id -> timelines.containsKey(id) && told.add(id)).ifPresent(id -> timelines.get(id).forEach(
                    event -> text.append("  ").append(event.at()).append("  ").append(event.source()).append("  ").append(event.what())
                            .append('\n')));
        });
        return text.toString();
    }

    /** For people, in lines for a terminal. */
    public String figures() {
        var text = new StringBuilder("accepted %,d = succeeded %,d + declined %,d + dead %,d + purged %,d".formatted(count("accepted"),
                count("succeeded"), count("declined"), count("dead"), count("purged")));
        if (count("canceled") > 0) {
            text.append(" + canceled %,d".formatted(count("canceled")));
        }
        if (count("in_flight") > 0) {
            text.append("%n   + in flight %,d".formatted(count("in_flight")));
        }
        text.append("%ncaptures in the ledgers %,d%n".formatted(count("psp_captures")));
        int length = 0;
        for (PaymentCount count : PaymentCount.values()) {
            String next = "%s %,d".formatted(count.words(), count(count.tag()));
            boolean fits = length + next.length() < FIGURES_WIDTH;
            text.append(length == 0 ? "" : fits ? ", " : ",\n").append(next);
            length = next.length() + (fits ? length + 2 : 0);
        }
        return text.append('\n').toString();
    }

    /** A few lines: what is open, the figures, how often each invariant is broken, and the verdict last. */
    public String summary() {
        var text = new StringBuilder();
        open.ifPresent(what -> text.append("not at rest: ").append(what).append('\n'));
        waiting.ifPresent(what -> text.append(what).append('\n'));
        text.append(figures());
        found.forEach((invariant, times) -> text.append("%,7d × %s%n".formatted(times, invariant.id())));
        return text.append(switch (kind) {
            case BALANCED -> "The books balance.\n";
            case BROKEN -> "The books do not balance.\n";
            case UNKNOWN -> "Whether the books balance is not known yet: not everything is at rest.\n";
        }).toString();
    }
}
