package io.chargeonce.sandbox.stripe;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The rules in force, oldest first; the first that matches a request is the one that it meets. Any thread. */
final class FaultRules {
    /** A rule with the number of times that it has left; meaningless for one that lasts. */
    record Active(long id, FaultRule rule, AtomicInteger left) {
        private boolean take() {
            return rule.times().isEmpty() || left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
        }
    }

    private final List<Active> rules = new CopyOnWriteArrayList<>();
    private final AtomicLong ids = new AtomicLong();

    long add(FaultRule rule) {
        Active active = new Active(ids.incrementAndGet(), rule, new AtomicInteger(rule.times().orElse(0)));
        rules.add(active);
        return active.id();
    }

    boolean remove(long id) {
        return rules.removeIf(active -> active.id() == id);
    }

    void clear() {
        rules.clear();
    }

    List<Active> all() {
        return List.copyOf(rules);
    }

    Optional<Fault> take(Operation operation, boolean replayed, Supplier<Map<String, String>> metadata) {
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        Map<String, String> about = metadata.get();
        for (Active active : rules) {
            FaultRule rule = active.rule();
            if (rule.matches(operation, about) && (!replayed || rule.fault() instanceof Fault.OnTheWire) && active.take()) {
                if (rule.times().isPresent() && active.left().get() == 0) {
                    rules.remove(active);
                }
                return Optional.of(rule.fault());
            }
        }
        return Optional.empty();
    }
}
