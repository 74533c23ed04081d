// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.runs;

import io.chargeonce.console.answer.Problems;
import io.chargeonce.dlq.Sum;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** What the page showed. Another set is refused: an action never touches more than what was shown. */
public record Expect(long count, TreeMap<String, Long> money) {

    /** @throws io.chargeonce.console.answer.Refusal if it is missing, or is no set */
    public static Expect of(JsonNode body) {
        JsonNode expect = body.path("expect");
        if (!expect.path("count").isIntegralNumber() || !expect.path("money").isArray()) {
            throw Problems.wrong("expect is missing: the count and the money of what was shown.").refusal();
        }
        var money = new TreeMap<String, Long>();
        for (JsonNode one : expect.path("money")) {
            if (!one.path("currency").isString() || !one.path("amount").isIntegralNumber()) {
                throw Problems.wrong("expect.money needs currency and amount, in minor units.").refusal();
            }
            money.put(one.path("currency").asString(), one.path("amount").asLong());
        }
        return new Expect(expect.path("count").asLong(), money);
    }

    /** @throws io.chargeonce.console.answer.Refusal if this is another set than what was shown */
    public void check(Sum now) {
        refuse(now.count() != count || !now.money().equals(money), now);
    }

    /** @throws io.chargeonce.console.answer.Refusal if this is more than what was shown */
    public void checkAtMost(Sum now) {
        refuse(now.count() > count
                || now.money().entrySet().stream().anyMatch(one -> one.getValue() > money.getOrDefault(one.getKey(), 0L)),
                now);
    }

    private static void refuse(boolean another, Sum now) {
        if (another) {
            throw Problems.changed("It is another set than what was shown: now %,d with %s.".formatted(now.count(),
                    String.join(", ", now.moneyLines()))).refusal();
        }
    }
}
