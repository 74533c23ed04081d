// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.load.chaos.woven.CrashPoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Which process dies at which exact place in one campaign. An armed process dies each time that it comes there. For one thread. */
final class Deaths {

    private final List<Child> services;
    private final List<CrashPoint> waiting;
    private final Map<Child, CrashPoint> armed = new LinkedHashMap<>();
    private final RandomGenerator random;
    private final Coverage coverage;

    Deaths(List<Child> services, List<CrashPoint> places, RandomGenerator random, Coverage coverage) {
        this.services = services;
        this.waiting = new ArrayList<>(places);
        this.random = random;
        this.coverage = coverage;
    }

    /** Arms a process for each place that has none yet, as long as there are processes that are not armed for another place. */
    void arm() {
        for (CrashPoint place : List.copyOf(waiting)) {
            List<Child> candidates =
                    services.stream().filter(service -> place.isIn(service.name()) && !armed.containsKey(service)).toList();
            if (!candidates.isEmpty()) {
                Child victim = candidates.get(random.nextInt(candidates.size()));
                victim.arm(place);
                armed.put(victim, place);
                waiting.remove(place);
            }
        }
    }

    /** Counts those who have died since the last look; returns where. */
    List<CrashPoint> look() {
        List<Child> dead = armed.keySet().stream().filter(victim -> !victim.isArmed()).toList();
        // They have said so, and are about to.
        dead.forEach(Child::kill);
        List<CrashPoint> hit = dead.stream().map(armed::remove).toList();
        hit.forEach(coverage::hit);
        return hit;
    }

    boolean areOver() {
        return waiting.isEmpty() && armed.isEmpty();
    }

    /** A process that has not come to its place yet lives on. */
    void end() {
        waiting.clear();
        armed.keySet().forEach(Child::disarm);
        armed.clear();
    }
}
