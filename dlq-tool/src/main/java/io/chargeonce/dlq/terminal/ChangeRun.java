// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.merge.FrozenChange;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Pace;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.Expected;
import io.chargeonce.dlq.terminal.page.ChangeReport;
import io.chargeonce.dlq.terminal.screen.CtrlC;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.ProgressMessage;
import io.chargeonce.dlq.words.Change;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Printable;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Model.CommandSpec;

/** One call of purge or restore: shows what it would do, or does it with progress until it is done or Ctrl-C is pressed. */
record ChangeRun(Change.Plain change, CommandSpec command, DeadLetterFilter filter, Optional<String> reason, boolean yes, Expected expected,
        boolean json) {

    int on(DeadLetterQueue queue) {
        Plan plan = look(queue);
        List<String> missing = plan.missing(queue);
        missing.forEach(id -> tell(change.missing(Printable.of(id))));
        Optional<String> refusal = expected.refusal(plan);
        if (refusal.isPresent()) {
            tell(refusal.get());
            return 1;
        }
        return yes && plan.standings().total().count() > 0 ? act(queue, plan) : dry(plan);
    }

    private Plan look(DeadLetterQueue queue) {
        return ProgressMessage.say("looking at the dead letters", command, json, () -> change.plan(queue, filter));
    }

    private int dry(Plan plan) {
        Screen screen = Screen.of(command);
        if (json) {
            JsonLines.print(screen, Map.of("dry", !yes, "fingerprint", plan.fingerprint(), "standings", Json.standings(plan.standings())));
        } else {
            ChangeReport.printDry(change, plan, "Add --yes to do it.", screen);
        }
        return exit(ChangeReport.would(change, plan));
    }

    private int act(DeadLetterQueue queue, Plan plan) {
        AuditContext by = ActsAs.auditContext(command, queue, reason);
        if (new FourEyes(queue).isTooMuchAlone(plan.standings().total())) {
            MergeRun frozen = new FrozenChange(queue).freeze(plan, change.kind(), change.evenUnresolved(), by);
            return Approval.awaited(command, queue, frozen.id(), change.kind(), json);
        }
        return act(plan, by, run -> Optional.of(change.run(queue, plan, by, run)));
    }

    /** Does what was frozen, once another person has approved it. */
    int resume(DeadLetterQueue queue, String id) {
        Optional<MergeRun> frozen = new MergeRuns(queue).find(id).filter(run -> run.kind() == change.kind());
        if (frozen.isEmpty()) {
            tell("there is no %s '%s'; chargeonce dlq runs lists those that there are".formatted(change.kind().tag(), Printable.of(id)));
            return 1;
        }
        if (!frozen.get().state().isEnd() && new FourEyes(queue).mustBeApproved(id)) {
            return Approval.awaited(command, queue, id, change.kind(), json);
        }
        AuditContext by = ActsAs.auditContext(command, queue, reason.or(frozen.get()::reason), id);
        Plan plan = new Plan(new Selection(DeadLetterFilter.everything(), Selection.From.THE_QUEUE, frozen.get().plannedAt()),
                new MergeRuns(queue).report(id).orElseThrow().standings(), frozen.get().fingerprint());
        return act(plan, by, run -> new FrozenChange(queue).run(frozen.get(), by, run));
    }

    private interface Work {
        Optional<Sweep.Result> with(Sweep sweep);
    }

    private int act(Plan plan, AuditContext by, Work work) {
        var brake = new Brake();
        var done = new AtomicLong();
        CtrlC ctrlC = CtrlC.presses(brake);
        try {
            Optional<Sweep.Result> result = work.with(new Sweep(Pace.unlimited(), brake, soFar -> progress(plan, soFar, done)));
            clearProgress();
            if (result.isEmpty()) {
                tell("%s has ended, or another process leads it: chargeonce dlq runs show %1$s".formatted(by.run()));
                return 1;
            }
            print(plan, by, result.get());
            return exit(moved(result.get().results()));
        } catch (DatabaseUnavailable | DatabaseRefused e) {
            clearProgress();
            if (done.get() > 0) {
                tell("%,d done as %s before it stopped; the same command does the rest".formatted(done.get(), by.run()));
            }
            throw e;
        } finally {
            ctrlC.letGo();
        }
    }

    private void print(Plan plan, AuditContext by, Sweep.Result result) {
        Screen screen = Screen.of(command);
        if (!json) {
            ChangeReport.printResult(by, result, screen);
            if (!result.finished() && expected.isAny()) {
                screen.say("What is left is another set than the expected one: call it without --yes to see which.");
            }
            return;
        }
        var object = new LinkedHashMap<String, Object>();
        object.put("dry", false);
        object.put("run", by.run());
        object.put("finished", result.finished());
        object.put("standings", Json.standings(plan.standings()));
        object.put("fates", Json.sums(result.results(), MoveResult.values()));
        JsonLines.print(screen, object);
    }

    /** Named ids must all be moved, else the answer is no. */
    private int exit(long moved) {
        return filter.ids().filter(ids -> moved < ids.size()).isPresent() ? 1 : 0;
    }

    private static long moved(SumsByKind<MoveResult> results) {
        return Arrays.stream(MoveResult.values()).filter(MoveResult::isMove).mapToLong(result -> results.of(result).count()).sum();
    }

    /** A line that is written over and over, for people only. */
    private void progress(Plan plan, SumsByKind<MoveResult> soFar, AtomicLong done) {
        done.set(moved(soFar));
        if (showsProgress()) {
            err().printf("\r%,d of %,d", soFar.total().count(), plan.standings().total().count());
            err().flush();
        }
    }

    private void clearProgress() {
        if (showsProgress()) {
            err().print("\r\u001b[K");
            err().flush();
        }
    }

    private boolean showsProgress() {
        return !json && Screen.isTerminal();
    }

    private void tell(String message) {
        Screen.tell(command, message);
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }
}
