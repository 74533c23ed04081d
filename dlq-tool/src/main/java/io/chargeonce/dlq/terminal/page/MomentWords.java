// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.story.Moment;
import io.chargeonce.dlq.terminal.screen.Json;
import io.chargeonce.dlq.terminal.screen.Printable;
import io.chargeonce.dlq.terminal.screen.Words;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What happened to a payment, in words and for scripts. */
public final class MomentWords {

    private MomentWords() {}

    static String of(Moment moment) {
        return Printable.of(switch (moment) {
            case Moment.Accepted accepted -> "accepted from %s under key %s".formatted(accepted.merchant(), accepted.idempotencyKey());
            case Moment.Sent sent -> "attempt %d sent to %s%s, key %s".formatted(sent.attempt(), sent.psp(),
                    sent.generation() > 1 ? " (after merge %d)".formatted(sent.generation() - 1) : "", sent.pspKey());
            case Moment.Heard heard -> heard(heard);
            case Moment.Waited waited -> "%s in retry-%d%s until %s%s".formatted(waited.parked() ? "parked" : "waits", waited.tier(),
                    waited.times() > 1 ? " %,d times, the last".formatted(waited.times()) : "", Words.time(waited.due()),
                    because(waited.cause()));
            case Moment.Died died -> "dead: %s%s".formatted(died.cause(), died.message().map(" (%s)"::formatted).orElse(""));
            case Moment.GaveBack back -> "%s of %s begun, now %s: dlq why %s".formatted(back.kind(), back.money(), back.state(), back.id());
            case Moment.Deed deed -> "%s by %s%s%s".formatted(deed.action(), deed.actor(), deed.run().map(" in "::concat).orElse(""),
                    because(deed.reason()));
        });
    }

    private static String heard(Moment.Heard heard) {
        String who = "attempt %d: %s ".formatted(heard.attempt(), switch (heard.source()) {
            case "call" -> heard.psp() + " answered";
            case "webhook" -> heard.psp() + " reported:";
            case "hand" -> "by a person's word";
            default -> heard.psp() + " said when asked:";
        });
        String detail = heard.detail().filter(text -> !text.isEmpty()).map(text -> " (" + text + ")").orElse("");
        return who + heard.outcome() + because(heard.cause()) + detail + heard.reference().map(", reference "::concat).orElse("");
    }

    private static String because(Optional<String> cause) {
        return cause.filter(text -> !text.isEmpty()).map(": "::concat).orElse("");
    }

    public static Map<String, Object> json(Moment moment) {
        var json = new LinkedHashMap<String, Object>();
        json.put("at", moment.at().toString());
        switch (moment) {
            case Moment.Accepted accepted -> {
                json.put("what", "accepted");
                json.put("merchant", accepted.merchant());
                json.put("idempotency_key", accepted.idempotencyKey());
            }
            case Moment.Sent sent -> {
                json.put("what", "sent");
                json.put("attempt", sent.attempt());
                json.put("generation", sent.generation());
                json.put("psp", sent.psp());
                json.put("psp_key", sent.pspKey());
                json.put("key_valid_until", sent.keyValidUntil().toString());
            }
            case Moment.Heard heard -> heard(heard, json);
            case Moment.Waited waited -> {
                json.put("what", waited.parked() ? "parked" : "scheduled");
                json.put("tier", waited.tier());
                json.put("times", waited.times());
                Json.putIfPresent(json, "cause", waited.cause());
                json.put("due_at", waited.due().toString());
            }
            case Moment.Died died -> {
                json.put("what", "died");
                json.put("cause", died.cause());
                Json.putIfPresent(json, "message", died.message());
            }
            case Moment.GaveBack back -> {
                json.put("what", back.kind());
                json.put("operation_id", back.id());
                json.put("amount", back.money().minorUnits());
                json.put("currency", back.money().currency());
                json.put("state", back.state());
            }
            case Moment.Deed deed -> {
                json.put("what", deed.action());
                json.put("actor", deed.actor());
                Json.putIfPresent(json, "reason", deed.reason());
                Json.putIfPresent(json, "run", deed.run());
            }
        }
        return json;
    }

    private static void heard(Moment.Heard heard, Map<String, Object> json) {
        json.put("what", "heard");
        json.put("attempt", heard.attempt());
        json.put("psp", heard.psp());
        json.put("source", heard.source());
        json.put("outcome", heard.outcome());
        Json.putIfPresent(json, "cause", heard.cause());
        Json.putIfPresent(json, "detail", heard.detail());
        Json.putIfPresent(json, "psp_reference", heard.reference());
    }
}
