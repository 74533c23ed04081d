// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** One PSP's rules in force, oldest first. A request meets the first rule that matches it. Any thread. */
public final class FaultRules {
    /** A rule, and how often it applies still; for a lasting rule the number means nothing. */
    record Active(long id, FaultRule rule, AtomicInteger left) {
        private boolean take() {
            return rule.times().isEmpty() || left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
        }
    }

    private final String psp;
    private final List<Endpoint> endpoints;
    private final Predicate<Fault> possible;
    private final List<Active> rules = new CopyOnWriteArrayList<>();
    private final AtomicLong ids = new AtomicLong();

    /** @param possible which faults this PSP can have at all */
    public FaultRules(String psp, List<? extends Endpoint> endpoints, Predicate<Fault> possible) {
        this.psp = psp;
        this.endpoints = List.copyOf(endpoints);
        this.possible = possible;
    }

    boolean isPossible(Fault fault) {
        return possible.test(fault);
    }

    List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Returns the rule's id. Throws {@link IllegalArgumentException} for what this PSP never does. */
    public long add(FaultRule rule) {
        if (!isPossible(rule.fault())) {
            throw new IllegalArgumentException("the fault " + rule.fault().text() + " does not exist at " + psp);
        }
        rule.operation().filter(operation -> !endpoints.contains(operation)).ifPresent(operation -> {
            throw new IllegalArgumentException(psp + " has no operation " + operation.text());
        });
        Active active = new Active(ids.incrementAndGet(), rule, new AtomicInteger(rule.times().orElse(0)));
        rules.add(active);
        return active.id();
    }

    public boolean remove(long id) {
        return rules.removeIf(active -> active.id() == id);
    }

    public void clear() {
        rules.clear();
    }

    List<Active> all() {
        return List.copyOf(rules);
    }

    public Optional<Fault> take(Endpoint operation, boolean replayed, Supplier<Map<String, String>> metadata) {
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
