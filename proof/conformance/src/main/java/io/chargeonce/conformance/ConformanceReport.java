// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was found, rule by rule. */
public record ConformanceReport(List<Line> lines) {

    /** One rule and what was found. */
    public static final class Line {
        private final Rule rule;
        private final Rule.Finding finding;

        Line(Rule rule, Rule.Finding finding) {
            this.rule = rule;
            this.finding = finding;
        }

        public String name() {
            return rule.name();
        }

        /** {@code kept}, {@code broken} or {@code skipped}. */
        public String verdict() {
            return switch (finding) {
                case Rule.Finding.Kept kept -> "kept";
                case Rule.Finding.Broken broken -> "broken";
                case Rule.Finding.Skipped skipped -> "skipped";
            };
        }

        boolean isUnsafe() {
            return rule.weight() == Rule.Weight.MUST && finding instanceof Rule.Finding.Broken;
        }

        Map<String, Object> toMap() {
            var map = new LinkedHashMap<String, Object>();
            map.put("rule", rule.name());
            map.put("weight", rule.weight().name().toLowerCase(Locale.ROOT));
            map.put("demand", rule.demand());
            map.put("verdict", verdict());
            switch (finding) {
                case Rule.Finding.Kept kept -> map.put("seen", kept.seen());
                case Rule.Finding.Broken broken -> {
                    map.put("expected", broken.expected());
                    map.put("seen", broken.seen());
                }
                case Rule.Finding.Skipped skipped -> map.put("why", skipped.why());
            }
            return map;
        }

        String text() {
            String head = "%-8s %-18s %s".formatted(verdict(), rule.name(), rule.demand());
            return switch (finding) {
                case Rule.Finding.Kept kept -> head;
                case Rule.Finding.Broken broken ->
                    head + "\n         expected  " + broken.expected() + "\n         seen      " + broken.seen();
                case Rule.Finding.Skipped skipped -> head + "\n         " + skipped.why();
            };
        }
    }

    /** Whether every rule that a client's safety rests on is kept, as far as it could be tried. */
    public boolean isSafe() {
        return lines.stream().noneMatch(Line::isUnsafe);
    }

    public long count(String verdict) {
        return lines.stream().filter(line -> line.verdict().equals(verdict)).count();
    }
}
