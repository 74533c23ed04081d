// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.hold.HoldEffect;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Hold;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.text.Counted;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What people have paused or forced, for a person. */
public final class HoldPage {

    private HoldPage() {}

    public static void print(List<Hold> holds, Screen screen) {
        if (holds.isEmpty()) {
            screen.say("Nothing is paused or forced.");
            return;
        }
        Table.<Hold>withEveryColumn(screen, List.of(
                Column.whole("KIND", hold -> hold.kind().tag()),
                Column.whole("NAME", Hold::name),
                Column.whole("STATE", Words::state),
                Column.whole("BY", Hold::by),
                Column.whole("SINCE", hold -> Words.time(hold.since())),
                Column.whole("UNTIL", hold -> hold.until().map(Words::time).orElse("resumed")),
                Column.shrinking("REASON", 12, Hold::reason))).print(holds);
    }

    /** What a pause concerns, in counts and money. */
    public static void sayPause(Hold.Kind kind, String name, Optional<Instant> until, HoldEffect effect, Screen screen) {
        String end = until.map(Words::time).map("until "::concat).orElse("until it is resumed");
        screen.say("%s, %s: %s".formatted(Words.named(kind, name), end, switch (kind) {
            case PSP -> "no new attempt goes there, refunds and probes neither. Payments go to other PSPs of their routes, or wait in the "
                    + "tiers without counting an attempt.%s".formatted(effect.otherPsps().isEmpty()
                            ? " No other PSP is set up, so all of them wait." : "");
            case MERCHANT -> "its payments and refunds are accepted and not tried. They wait in the tiers without counting an attempt.";
            case TIER -> "what is due there is not tried, and waits on its topic.";
        }));
        screen.say("What is under way now may finish%s.".formatted(effect.asked() == 0 ? ""
                : ", and %s still queried, which at Adyen and for refunds may execute the attempt"
                        .formatted(effect.asked() == 1 ? "1 unknown outcome is"
                                : "%,d unknown outcomes are".formatted(effect.asked()))));
        effect.recentSince().filter(since -> kind != Hold.Kind.TIER)
                .ifPresent(since -> screen.say("Of the last %s, since %s, %s %s.".formatted(Counted.of(effect.lookedAt(), "attempt"),
                        Words.time(since), with(effect.recent()), kind == Hold.Kind.PSP ? "went there"
                                : effect.recent().count() == 1 ? "was of its payments" : "were of its payments")));
        screen.say("%s in the tiers for it now.".formatted(waits(effect.waiting())));
        if (effect.expiring().count() > 0) {
            boolean one = effect.expiring().count() == 1;
            screen.say(
                    ("%,d of these (%s) %s %s, %s %s. What passes its deadline is never charged late: it becomes a dead letter (expired), "
                            + "%s, ").formatted(effect.expiring().count(), String.join(", ", effect.expiring().moneyLines()),
                                    one ? "passes its deadline" : "pass their deadlines",
                                    until.isPresent() ? "before that" : "within a day",
                                    one ? "at" : "the first at", Words.time(effect.firstDeadline().orElseThrow()),
                                    kind == Hold.Kind.TIER ? "once the tier is resumed" : "when it is next due")
                            + "and a merge gives it a new deadline.");
        }
    }

    /** {@code 2 (25.98 EUR) wait}. */
    public static String waits(Sum sum) {
        return sum.count() == 0 ? "Nothing waits" : with(sum) + (sum.count() > 1 ? " wait" : " waits");
    }

    private static String with(Sum sum) {
        return sum.count() == 0 ? "none" : "%,d (%s)".formatted(sum.count(), String.join(", ", sum.moneyLines()));
    }
}
