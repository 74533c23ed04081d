// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunLeader;
import io.chargeonce.dlq.run.RunProgress;
import io.chargeonce.dlq.run.RunState;
import io.chargeonce.dlq.run.RunStep;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.Expected;
import io.chargeonce.dlq.terminal.page.ChangeReport;
import io.chargeonce.dlq.terminal.page.RunBar;
import io.chargeonce.dlq.terminal.page.RunPage;
import io.chargeonce.dlq.terminal.screen.CtrlC;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.ProgressMessage;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Counted;
import io.chargeonce.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Model.CommandSpec;

/**
 * One call of a command that changes many: looks, plans, leads a run, or ends one.
 *
 * @param patience how long the outcomes of the last payments are worth waiting for
 */
record RunCall(RunKind kind, CommandSpec command, Optional<String> reason, Duration patience, boolean json) {

    enum Extent { LOOK, PLAN, ALL }

    private static final int NO = 1;

    int begin(DeadLetterQueue queue, DeadLetterFilter filter, RunTerms terms, Expected expected, Extent extent) {
        Plan plan = look(queue, filter);
        plan.missing(queue).forEach((id, letter) -> tell(ChangeReport.missing(kind, Printable.of(id), letter)));
        Optional<String> refusal = expected.refusal(plan).or(() -> extent == Extent.LOOK ? Optional.empty() : kind.refusal(plan));
        if (refusal.isPresent()) {
            tell(refusal.get());
            return NO;
        }
        return switch (extent) {
            case LOOK -> look(queue, plan, terms);
            case PLAN -> planned(queue, freeze(queue, plan, by(queue), terms), Optional.of(plan));
            case ALL -> all(queue, plan, terms);
        };
    }

    private Plan look(DeadLetterQueue queue, DeadLetterFilter filter) {
        return ProgressMessage.say("looking at the dead letters", command, json, () -> kind.plan(queue, filter));
    }

    /** A million of them take ten seconds. */
    private DlqRun freeze(DeadLetterQueue queue, Plan plan, AuditContext by, RunTerms terms) {
        return ProgressMessage.say(
                "freezing %s as %s; nothing moves yet".formatted(Counted.of(plan.standings().total().count(), "dead letter"), by.run()),
                command, json, () -> new DlqRuns(queue).plan(kind, plan.selection(), by, terms));
    }

    private int look(DeadLetterQueue queue, Plan plan, RunTerms terms) {
        Screen screen = Screen.of(command);
        if (json) {
            JsonLines.print(screen, Map.of("dry", true, "fingerprint", plan.fingerprint(), "standings", Json.standings(plan.standings()),
                    "targets", plan.targets()));
        } else {
            ChangeReport.printDry(kind, terms, plan, new Holds(queue).list(), screen);
        }
        return exit(plan.selection().filter().ids(), ChangeReport.would(kind, terms, plan));
    }

    private int planned(DeadLetterQueue queue, DlqRun run, Optional<Plan> plan) {
        boolean waits = mustWait(queue, run.id());
        Screen screen = Screen.of(command);
        if (json) {
            Map<String, Object> json = RunJson.run(run);
            plan.ifPresent(its -> json.put("targets", its.targets()));
            JsonLines.print(screen, json);
        } else {
            plan.ifPresentOrElse(its -> ChangeReport.printPlan(kind, run.terms(), its, new Holds(queue).list(), screen),
                    () -> screen.say(RunPage.set(run) + "."));
            screen.say("Frozen as %s, fingerprint %s. Nothing has moved.".formatted(run.id(), run.fingerprint()));
            if (waits) {
                screen.print("It is more than you may do alone within 24 hours. Another person says first:");
                screen.print("               chargeonce dlq approve %s", run.id());
            }
            screen.print("To do it:      chargeonce dlq %s --resume %s", kind.command(), run.id());
            screen.print("To drop it:    chargeonce dlq %s --cancel %s", kind.command(), run.id());
        }
        return 0;
    }

    private int all(DeadLetterQueue queue, Plan plan, RunTerms terms) {
        if (plan.standings().total().count() == 0) {
            return look(queue, plan, terms);
        }
        AuditContext by = by(queue);
        freeze(queue, plan, by, terms);
        return mustWait(queue, by.run()) ? awaited(queue, by.run()) : lead(queue, by, plan.selection().filter().ids());
    }

    /** Ends the wait of what waited at that moment, or only plans it. */
    int endWait(DeadLetterQueue queue, WaitingFilter filter, Instant asOf, RunTerms terms, boolean onlyPlans) {
        AuditContext by = by(queue);
        DlqRun run = new DlqRuns(queue).plan(kind, filter, asOf, by, terms);
        return onlyPlans ? planned(queue, run, Optional.empty())
                : mustWait(queue, by.run()) ? awaited(queue, by.run()) : lead(queue, by, filter.ids());
    }

    int resume(DeadLetterQueue queue, String id) {
        Optional<DlqRun> run = new DlqRuns(queue).find(id);
        if (run.isEmpty()) {
            return unknown(id);
        }
        if (isAnother(run.get(), "resume")) {
            return NO;
        }
        if (!run.get().state().isEnd() && mustWait(queue, id)) {
            return awaited(queue, id);
        }
        return lead(queue, ActsAs.auditContext(command, queue, reason.or(run.get()::reason), id), Optional.empty());
    }

    private boolean isAnother(DlqRun run, String option) {
        boolean another = !run.kind().command().equals(kind.command());
        if (another) {
            tell("%s is a %s: chargeonce dlq %s --%s %1$s".formatted(run.id(), run.kind().words(), run.kind().command(), option));
        }
        return another;
    }

    private static boolean mustWait(DeadLetterQueue queue, String run) {
        var fourEyes = new FourEyes(queue);
        boolean must = fourEyes.mustBeApproved(run);
        if (must) {
            fourEyes.await(run);
        }
        return must;
    }

    private int awaited(DeadLetterQueue queue, String run) {
        return Approval.awaited(command, run, kind.command(), json, hasMoved(new DlqRuns(queue), run));
    }

    private int lead(DeadLetterQueue queue, AuditContext by, Optional<List<String>> named) {
        try (var bar = RunBar.on(command, json)) {
            var told = new AtomicBoolean();
            Optional<RunLeader> leader = new DlqRuns(queue).takeOver(by, new SteadyClock(), progress -> {
                bar.show(progress);
                progress.heldBy().filter(pause -> !told.getAndSet(true)).ifPresent(this::held);
            }, this::waits);
            return leader.isEmpty() ? notToBeTaken(queue, by.run()) : lead(queue, by, named, leader.get(), bar);
        } catch (DatabaseUnavailable e) {
            throw toGoOn(by, e);
        }
    }

    private int lead(DeadLetterQueue queue, AuditContext by, Optional<List<String>> named, RunLeader leader, RunBar bar) {
        var brake = new Brake();
        CtrlC ctrlC = CtrlC.presses(brake);
        try {
            RunStep end = leader.run(brake, patience);
            RunProgress last = leader.progress();
            bar.close();
            RunPage.printEnd(new DlqRuns(queue).find(by.run()).orElseThrow(), last, end, by, Screen.of(command), json);
            if (end instanceof RunStep.Unapproved && !json) {
                awaited(queue, by.run());
            }
            return exit(end, last, named);
        } catch (DatabaseRefused | KafkaException e) {
            throw toGoOn(by, e);
        } finally {
            ctrlC.letGo();
        }
    }

    private RuntimeException toGoOn(AuditContext by, RuntimeException e) {
        tell("%s has not ended; nothing is left half done; to go on: chargeonce dlq %s --resume %1$s"
                .formatted(by.run(), kind.command()));
        return e;
    }

    private void held(String pause) {
        tell("%s, and the canary waits for that; waiting %d s. Ctrl-C gives up".formatted(pause, patience.toSeconds()));
    }

    private void waits(DlqRun run) {
        tell(("%s is led by %s, who was heard %d s ago; waiting: if nothing is heard for %d s, that leader was killed, and this goes on. "
                + "Ctrl-C gives up")
                .formatted(run.id(), run.leader().orElse("another process"), run.silence().orElse(Duration.ZERO).toSeconds(),
                        DlqRun.LONGEST_SILENCE.toSeconds()));
    }

    private int notToBeTaken(DeadLetterQueue queue, String id) {
        DlqRun run = new DlqRuns(queue).find(id).orElseThrow();
        tell(run.isLed()
                ? "%s is led by %s right now: Ctrl-C there lets go, and chargeonce dlq %s --cancel %1$s ends it"
                        .formatted(id, run.leader().orElseThrow(), kind.command())
                : "%s has ended: %s; chargeonce dlq runs show %s tells what became of it".formatted(id, run.state().tag(), id));
        return run.state() == RunState.FINISHED ? 0 : NO;
    }

    int cancel(DeadLetterQueue queue, String id) {
        var runs = new DlqRuns(queue);
        Optional<DlqRun> known = runs.find(id);
        if (known.isEmpty()) {
            return unknown(id);
        }
        if (isAnother(known.get(), "cancel")) {
            return NO;
        }
        boolean cancelled = runs.cancel(ActsAs.auditContext(command, queue, reason, id));
        DlqRun run = runs.find(id).orElseThrow();
        if (json) {
            JsonLines.print(Screen.of(command), RunJson.run(run));
        } else {
            Screen.of(command).say(cancelled ? "%s is cancelled. %s".formatted(id, hasMoved(runs, id)
                    ? "What it had moved stays moved: chargeonce dlq runs show " + id : "It had moved nothing.")
                    : "%s had ended already: %s.".formatted(id, run.state().tag()));
        }
        return cancelled ? 0 : NO;
    }

    private static boolean hasMoved(DlqRuns runs, String id) {
        return MoveResult.moved(runs.report(id).orElseThrow().results()) > 0;
    }

    private int unknown(String id) {
        tell("there is no run '%s'; chargeonce dlq runs lists those that there are".formatted(Printable.of(id)));
        return NO;
    }

    private AuditContext by(DeadLetterQueue queue) {
        return ActsAs.auditContext(command, queue, reason);
    }

    private static int exit(RunStep end, RunProgress progress, Optional<List<String>> named) {
        return switch (end) {
            // What was being tried when it was to be stopped may wait again.
            case RunStep.Finished finished ->
                progress.run().kind() == RunKind.STOP && MoveResult.moved(progress.results()) < progress.results().total().count() ? NO
                        : exit(named, MoveResult.moved(progress.results()));
            case RunStep.Stopped stopped -> NO;
            case RunStep.Aborted aborted -> NO;
            case RunStep.Lost lost -> NO;
            case RunStep.Unapproved unapproved -> NO;
            case RunStep.Held held -> NO;
            case RunStep.Moved moved -> throw new IllegalStateException("Bug! A run ended while it moved");
            case RunStep.Waits waits -> throw new IllegalStateException("Bug! A run ended while it waited");
        };
    }

    /** Named ids must all be moved, else the answer is no. */
    private static int exit(Optional<List<String>> named, long moved) {
        return named.filter(ids -> moved < ids.stream().distinct().count()).isPresent() ? NO : 0;
    }

    private void tell(String message) {
        Screen.tell(command, message);
    }
}
