// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The same attack in many spellings: it held if all were refused, and else it says which were not. */
final class Several {

    private static final int NAMED = 3;

    private final List<String> passed = new ArrayList<>();
    private final TreeSet<String> answers = new TreeSet<>();
    private int tried;

    void add(String spelling, Reply reply) {
        add(spelling, reply.refused(), reply.toString());
    }

    void add(String spelling, boolean held, String answer) {
        tried++;
        answers.add(answer);
        if (!held) {
            passed.add(printable(spelling) + " " + answer);
        }
    }

    Result result() {
        if (passed.isEmpty() && tried > 0) {
            return new Result.Held("%d tried: %s".formatted(tried, String.join(", ", answers)));
        }
        return new Result.Fell("%d of %d passed: %s".formatted(passed.size(), tried,
                passed.stream().limit(NAMED).collect(Collectors.joining("; "))));
    }

    private static String printable(String spelling) {
        String shown = spelling.chars().mapToObj(c -> c > ' ' && c < 127 ? String.valueOf((char) c) : "\\u%04x".formatted(c))
                .collect(Collectors.joining());
        return "'" + (shown.length() > 40 ? shown.substring(0, 40) + "…" : shown) + "'";
    }
}
