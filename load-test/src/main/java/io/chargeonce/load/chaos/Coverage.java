package io.chargeonce.load.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts what was really done and really hit: a campaign that never killed anybody has proved nothing about killing. For one thread. */
public final class Coverage {

    private final Map<String, Integer> faults = new TreeMap<>();
    private final Map<String, Integer> hits = new TreeMap<>();
    private final Map<Child, CrashPoint> armed = new HashMap<>();
    private final Map<CrashPoint, Integer> armings = new EnumMap<>(CrashPoint.class);

    Coverage() {
        for (CrashPoint point : CrashPoint.values()) {
            hits.put(point.tag(), 0);
        }
    }

    void did(String fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    /** By what was armed and not by what was hit, so that the seed alone decides. */
    CrashPoint rarest() {
        return Arrays.stream(CrashPoint.values()).min(Comparator.comparing(point -> armings.getOrDefault(point, 0))).orElseThrow();
    }

    void armed(Child victim, CrashPoint point) {
        armings.merge(point, 1, Integer::sum);
        armed.put(victim, point);
    }

    /** Looks which armed processes have died where they should, and disarms the others. */
    void crashes(List<Child> services) {
        for (Child service : services) {
            CrashPoint point = armed.remove(service);
            if (point != null && service.disarm()) {
                hits.merge(point.tag(), 1, Integer::sum);
            }
        }
    }

    /** What was never done or hit yet. */
    public List<String> missing() {
        var missing = new ArrayList<String>();
        hits.forEach((point, count) -> {
            if (count == 0) {
                missing.add(point);
            }
        });
        return missing;
    }

    public Map<String, Integer> crashPoints() {
        return Map.copyOf(hits);
    }

    public Map<String, Integer> faults() {
        return Map.copyOf(faults);
    }

    @Override
    public String toString() {
        return "crash points hit: " + hits + System.lineSeparator() + "faults: " + faults;
    }
}
