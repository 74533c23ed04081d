// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.story.Moment;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Operation;
import io.chargeonce.text.Counted;
import io.chargeonce.text.Printable;
import java.util.Optional;

/** What happened to a payment, in words. */
public final class MomentWords {

    private MomentWords() {}

    static String of(Moment moment) {
        return Printable.of(switch (moment) {
            case Moment.Accepted accepted -> "accepted from %s under key %s".formatted(accepted.merchant(), accepted.idempotencyKey());
            case Moment.Sent sent -> "attempt %d sent to %s%s, key %s%s".formatted(sent.attempt(), sent.psp(),
                    sent.generation() > 1 ? " (after merge %d)".formatted(sent.generation() - 1) : "", sent.pspKey(), sends(sent.sends()));
            case Moment.Heard heard -> heard(heard);
            case Moment.Waited waited -> waited(waited);
            case Moment.Died died -> "%sdead: %s%s".formatted(
                    died.counted().map(counted -> counted ? "counted, " : "not counted, ").orElse(""), died.cause(),
                    died.message().map(" (%s)"::formatted).orElse(""));
            case Moment.GaveBack back -> "%s of %s begun, now %s: dlq why %s".formatted(back.kind(), back.money(), back.state(), back.id());
            case Moment.Mailed mailed ->
                "receipt of the %s %s after %s%s: %s".formatted(mailed.kind(), mailed.state(), Counted.of(mailed.tries(), "try", "tries"),
                        because(mailed.error()), mailed.id());
            case Moment.Notified notified ->
                "webhook %s to %s %s after %s%s: %s".formatted(notified.event(), notified.endpoint(), notified.state(),
                        Counted.of(notified.tries(), "try", "tries"), because(notified.error()), notified.id());
            case Moment.Deed deed -> "%s by %s%s%s".formatted(deed.action(), deed.actor(), deed.run().map(" in "::concat).orElse(""),
                    because(deed.reason()));
        });
    }

    /** Only the first of them has a time. */
    static String sends(int sends) {
        return sends > 1 ? ", sent %,d times in all under this key, for no sure answer had come".formatted(sends) : "";
    }

    /** Only a wait for the next counted attempt follows an attempt that counted. */
    private static String waited(Moment.Waited waited) {
        String until = "%s until %s%s".formatted(waited.times() > 1 ? " %,d times, the last".formatted(waited.times()) : "",
                Words.time(waited.due()), because(waited.cause()));
        if (waited.tier() == 0) {
            return (waited.cause().equals(Optional.of(Operation.DECLINE_UNVERIFIED))
                    ? "was declined, and ends so unless a PSP has another attempt of it; waits" : "waits to be presented again") + until;
        }
        return "%s in retry-%d%s".formatted(waited.parked() ? "not counted, parked"
                : waited.counted() ? "counted, waits" : "not counted any more, for its PSP was not well; waits", waited.tier(), until);
    }

    private static String heard(Moment.Heard heard) {
        String who = "attempt %d: %s ".formatted(heard.attempt(), switch (heard.source()) {
            case "call" -> heard.psp() + " answered";
            case "webhook" -> heard.psp() + " reported:";
            case "settlement" -> heard.psp() + "'s settlement report:";
            case "hand" -> "by a person's word";
            case "found" -> "found at " + heard.psp() + ":";
            default -> heard.psp() + " said when asked:";
        });
        String detail = heard.detail().filter(text -> !text.isEmpty()).map(text -> " (" + text + ")").orElse("");
        return who + heard.outcome() + because(heard.cause()) + detail + heard.reference().map(", reference "::concat).orElse("");
    }

    private static String because(Optional<String> cause) {
        return cause.filter(text -> !text.isEmpty()).map(": "::concat).orElse("");
    }
}
