// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.hold;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.hold.HoldEffect;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.page.HoldPage;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.ledger.Hold;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Cut;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** One call of pause, force or resume whose command line is known to be right. */
record HoldCall(CommandSpec spec, Hold.Kind kind, String name, Optional<String> reason, boolean yes, boolean json) {

    private static final int NO = 1;

    /** The kind, if there is such a one. */
    static Optional<Hold.Kind> kind(String typed, InputProblems problems) {
        Optional<Hold.Kind> kind = Hold.Kind.fromTag(typed);
        if (kind.isEmpty()) {
            problems.add("'%s' is nothing that can be held: say psp, merchant or tier".formatted(typed));
        }
        return kind;
    }

    /** {@code retry-1} is tier 1, as other commands print it. */
    static String name(Hold.Kind kind, String typed) {
        return kind == Hold.Kind.TIER ? typed.replaceFirst("^retry-", "") : typed;
    }

    static void checkReason(Optional<String> reason, InputProblems problems) {
        problems.needsReason(reason);
        if (reason.filter(text -> Cut.isLonger(text, Holds.LONGEST_REASON)).isPresent()) {
            problems.add("--reason is longer than %d characters".formatted(Holds.LONGEST_REASON));
        }
    }

    int pause(DeadLetterQueue queue, Optional<Duration> lasting) {
        var holds = new Holds(queue);
        Optional<Integer> refused = refuseUnknown(holds);
        if (refused.isPresent()) {
            return refused.get();
        }
        Optional<Instant> until = lasting.map(holds.inForce().now()::plus);
        HoldEffect effect = holds.look(kind, name, until);
        Screen screen = Screen.of(spec);
        if (!json) {
            HoldPage.sayPause(kind, name, until, effect, screen);
        }
        Optional<Hold> made =
                yes ? Optional.of(holds.pause(kind, name, until, ActsAs.auditContext(spec, queue, reason))) : Optional.empty();
        return report(Hold.Action.PAUSE, effect, made, screen);
    }

    int force(DeadLetterQueue queue, Duration lasting) {
        var holds = new Holds(queue);
        Optional<Integer> refused = refuseUnknown(holds);
        if (refused.isPresent()) {
            return refused.get();
        }
        Instant until = holds.inForce().now().plus(lasting);
        HoldEffect effect = holds.look(kind, name, Optional.of(until));
        Screen screen = Screen.of(spec);
        if (!json) {
            screen.say("%s, until %s: its breaker counts as closed, so payments go there although it may be unwell. Its limits hold."
                    .formatted(Words.named(kind, name), Words.time(until)));
        }
        Optional<Hold> made = yes ? Optional.of(holds.force(name, until, ActsAs.auditContext(spec, queue, reason))) : Optional.empty();
        return report(Hold.Action.FORCE, effect, made, screen);
    }

    private int report(Hold.Action action, HoldEffect effect, Optional<Hold> made, Screen screen) {
        if (json) {
            var object = new LinkedHashMap<String, Object>();
            object.put("dry", made.isEmpty());
            object.put("kind", kind.tag());
            object.put("name", name);
            object.put("action", action.tag());
            made.ifPresent(hold -> object.put("hold", HoldJson.of(hold)));
            object.putAll(HoldJson.of(effect));
            JsonLines.print(screen, object);
            return 0;
        }
        effect.already().ifPresent(hold -> screen.say("%s. %s.".formatted(Words.of(hold),
                made.isPresent() ? "The new hold replaces that" : "A new hold would replace that")));
        screen.say(made.map(hold -> Words.of(hold) + ". Every process obeys within two seconds.")
                .orElse("Nothing was changed. Do it with --yes."));
        return 0;
    }

    int resume(DeadLetterQueue queue) {
        var holds = new Holds(queue);
        Optional<Integer> refused = refuseUnknown(holds);
        if (refused.isPresent()) {
            return refused.get();
        }
        HoldEffect effect = holds.look(kind, name, Optional.empty());
        Optional<Hold> held = yes ? holds.resume(kind, name, ActsAs.auditContext(spec, queue, reason)) : effect.already();
        Screen screen = Screen.of(spec);
        if (json) {
            var object = new LinkedHashMap<String, Object>();
            object.put("dry", !yes);
            object.put("held", held.isPresent());
            held.ifPresent(hold -> object.put("hold", HoldJson.of(hold)));
            object.put("waiting", Json.sum(effect.waiting()));
            JsonLines.print(screen, object);
            return held.isPresent() ? 0 : NO;
        }
        if (held.isEmpty()) {
            Screen.tell(spec, "%s is not held: chargeonce dlq holds shows what is".formatted(Words.named(kind, name)));
            return NO;
        }
        screen.say((yes ? Words.ended(held.get()) : Words.of(held.get())) + ".");
        sayWhatFollows(held.get(), effect, screen);
        if (!yes) {
            screen.say("Nothing was changed. Do it with --yes.");
        }
        return 0;
    }

    private void sayWhatFollows(Hold hold, HoldEffect effect, Screen screen) {
        if (!hold.isPause()) {
            screen.say("Its breaker decides again.");
        } else if (effect.waiting().count() > 0 || kind == Hold.Kind.PSP) {
            screen.say(switch (kind) {
                case TIER -> "What is due there is tried at once, at the pace of CHARGEONCE_TIER_RELEASE_RATE.";
                case MERCHANT -> waitsOn(effect, "--merchant " + name);
                case PSP -> waitsOn(effect, "--psp " + name);
            });
        }
    }

    private static String waitsOn(HoldEffect effect, String which) {
        boolean one = effect.waiting().count() == 1;
        return effect.waiting().count() == 0 ? "Nothing waits in the tiers for it."
                : "%s in the tiers until %s due. To have %s tried now: chargeonce dlq waiting %s --now --yes".formatted(
                        HoldPage.waits(effect.waiting()), one ? "it is" : "they are", one ? "it" : "them", which);
    }

    private Optional<Integer> refuseUnknown(Holds holds) {
        var problems = new InputProblems();
        holds.unknown(kind, name).ifPresent(problems::unknown);
        return problems.any() ? Optional.of(problems.print(spec)) : Optional.empty();
    }
}
