// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.load.chaos.woven.CrashPoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts what was really done and really hit: a campaign that killed no process proves nothing about kills. For one thread. */
public final class Coverage {

    /** The states that a payment can be in while something happens to its pipeline. */
    private static final List<String> STATES = List.of("accepted", "processing", "scheduled", "parked", "unresolved", "dead");

    private final Map<String, Integer> faults = new TreeMap<>();
    private final Map<FaultKind, Map<String, Integer>> met = new EnumMap<>(FaultKind.class);
    private final Map<String, Integer> hits = new TreeMap<>();
    private long copies;

    Coverage() {
        for (CrashPoint point : CrashPoint.values()) {
            hits.put(point.tag(), 0);
        }
    }

    void did(FaultKind kind, String fault) {
        faults.merge(kind.tag() + ": " + fault, 1, Integer::sum);
    }

    /** While a fault of this kind went on, there were payments in these states. */
    void met(FaultKind kind, Set<String> states) {
        states.forEach(state -> met.computeIfAbsent(kind, unseen -> new TreeMap<>()).merge(state, 1, Integer::sum));
    }

    /** A process died there. */
    void hit(CrashPoint point) {
        hits.merge(point.tag(), 1, Integer::sum);
    }

    /** Faults and crashes together: what may have made a process send a record again. */
    long mishaps() {
        return faults.values().stream().mapToInt(Integer::intValue).sum() + hits.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** So many records were put on their topics again, or read again, on purpose. */
    void repeated(long records) {
        copies += records;
    }

    long copies() {
        return copies;
    }

    /** What was never done or hit yet, and could have been with these kinds of faults. */
    public List<String> missing(List<FaultKind> kinds) {
        var missing = new ArrayList<String>();
        hits.forEach((point, count) -> {
            if (count == 0 && kinds.contains(FaultKind.KILL)) {
                missing.add("crash point " + point);
            }
        });
        kinds.stream().filter(kind -> faults.keySet().stream().noneMatch(name -> name.startsWith(kind.tag() + ":")))
                .forEach(kind -> missing.add("fault " + kind.tag()));
        kinds.forEach(kind -> STATES.stream().filter(state -> !met.getOrDefault(kind, Map.of()).containsKey(state))
                .forEach(state -> missing.add(kind.tag() + " while one is " + state)));
        return missing;
    }

    /** For scripts: the same as for people. */
    public Map<String, Object> json() {
        var json = new LinkedHashMap<String, Object>();
        json.put("crash_points", hits);
        json.put("faults", faults);
        var byKind = new TreeMap<String, Object>();
        met.forEach((kind, states) -> byKind.put(kind.tag(), states));
        json.put("met", byKind);
        return json;
    }

    /** For people: crash points, faults, and how often a fault of each kind met a payment in each state. */
    @Override
    public String toString() {
        var text = new StringBuilder("crash points hit\n");
        hits.forEach((point, count) -> text.append("  %5d  %s%n".formatted(count, point)));
        text.append("faults\n");
        faults.forEach((fault, count) -> text.append("  %5d  %s%n".formatted(count, fault)));
        text.append("faults that met a payment in a state\n  %-12s".formatted(""));
        STATES.forEach(state -> text.append("%12s".formatted(state)));
        met.forEach((kind, states) -> text.append("%n  %-12s".formatted(kind.tag()))
                .append(STATES.stream().map(state -> "%12d".formatted(states.getOrDefault(state, 0))).collect(Collectors.joining())));
        return text.toString();
    }
}
