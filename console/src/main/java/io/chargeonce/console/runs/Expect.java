// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.runs;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.query.Plan;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * What the page showed. Another set is refused: an action never touches more than what was shown.
 *
 * @param fingerprint of the dead letters, as the list answered it: two sets may have the same count and money
 */
public record Expect(long count, TreeMap<String, Long> money, Optional<String> fingerprint) {

    /** @throws io.chargeonce.console.answer.Refusal if it is missing, or is no set */
    public static Expect of(JsonNode body) {
        JsonNode expect = body.path("expect");
        if (!expect.path("count").canConvertToLong() || !expect.path("count").isIntegralNumber() || !expect.path("money").isArray()) {
            throw ConsoleProblems.wrong("expect is missing: the count and the money of what was shown.").refusal();
        }
        var money = new TreeMap<String, Long>();
        for (JsonNode one : expect.path("money")) {
            boolean isMoney =
                    one.path("currency").isString() && one.path("amount").isIntegralNumber() && one.path("amount").canConvertToLong();
            if (!isMoney || money.containsKey(one.path("currency").asString())) {
                throw ConsoleProblems.wrong("expect.money needs each currency once, and its amount in minor units.").refusal();
            }
            money.put(one.path("currency").asString(), one.path("amount").asLong());
        }
        JsonNode fingerprint = expect.path("fingerprint");
        if (!fingerprint.isMissingNode() && !fingerprint.isNull() && !fingerprint.isString()) {
            throw ConsoleProblems.wrong("expect.fingerprint is not a text.").refusal();
        }
        return new Expect(expect.path("count").asLong(), money,
                fingerprint.isString() ? Optional.of(fingerprint.asString()) : Optional.empty());
    }

    /** @throws io.chargeonce.console.answer.Refusal if these are other dead letters than what was shown */
    public void check(Plan now) {
        check(now.standings().total());
        if (fingerprint.filter(seen -> !seen.equals(now.fingerprint())).isPresent()) {
            throw ConsoleProblems.changed("It has the count and the money of what was shown, but these are other dead letters.").refusal();
        }
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
            throw ConsoleProblems.changed("It is another set than what was shown: now %,d with %s.".formatted(now.count(),
                    String.join(", ", now.moneyLines()))).refusal();
        }
    }
}
