// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.Outcomes;
import io.chargeonce.dlq.run.RunProgress;
import io.chargeonce.dlq.run.RunStep;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.SumsByKind;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Runs for scripts. */
public final class RunJson {

    private RunJson() {}

    public static Map<String, Object> run(DlqRun run) {
        var json = new LinkedHashMap<String, Object>();
        json.put("run", run.id());
        json.put("kind", run.kind().tag());
        json.put("awaits_approval", run.awaitsApproval());
        Json.putIfPresent(json, "approved_by", run.approvedBy());
        json.put("state", run.state().tag());
        json.put("planned_by", run.plannedBy());
        Json.putIfPresent(json, "reason", run.reason());
        json.put("planned_at", run.plannedAt().toString());
        json.put("fingerprint", run.fingerprint());
        json.put("items", run.items());
        json.put("money", run.sum().money());
        json.put("canary", run.terms().canary());
        run.terms().rate().ifPresent(rate -> json.put("rate", rate));
        run.terms().maxRate().ifPresent(rate -> json.put("max_rate", rate));
        json.put("abort_above_percent", run.terms().abortAbovePercent());
        json.put("even_stopped", run.terms().evenStopped());
        Json.putIfPresent(json, "verdict", run.verdict());
        Json.putIfPresent(json, "leader", run.leader().filter(leader -> run.isLed()));
        run.endedAt().ifPresent(at -> json.put("ended_at", at.toString()));
        return json;
    }

    /** A finding that waits, with those fields of a run that it has. */
    public static Map<String, Object> finding(FourEyes.Waiting waiting) {
        var json = new LinkedHashMap<String, Object>();
        json.put("run", waiting.run());
        json.put("kind", FourEyes.SETTLE);
        json.put("awaits_approval", true);
        json.put("state", "planned");
        json.put("planned_by", waiting.proposedBy());
        json.put("reason", waiting.finding().evidence());
        json.put("planned_at", waiting.proposedAt().toString());
        json.put("items", 1);
        json.put("operation_id", waiting.finding().operationId());
        json.put("amount", waiting.finding().money().minorUnits());
        json.put("currency", waiting.finding().money().currency());
        json.put("verdict", waiting.finding().verdict().replace(' ', '_'));
        return json;
    }

    public static Map<String, Object> report(DlqRuns.Report report) {
        Map<String, Object> json = run(report.run());
        json.put("standings", Json.standings(report.standings()));
        json.put("targets", report.targets());
        json.put("fates", Json.sums(report.results(), MoveResult.values()));
        putOutcomes(json, report.outcomes(), report.asked());
        return json;
    }

    /** @param run as it is now */
    public static Map<String, Object> end(DlqRun run, RunProgress progress, RunStep end) {
        var json = new LinkedHashMap<String, Object>();
        json.put("dry", false);
        json.put("run", run.id());
        json.put("state", run.state().tag());
        json.put("awaits_approval", run.awaitsApproval());
        json.put("ended", end.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        json.put("finished", end instanceof RunStep.Finished);
        Json.putIfPresent(json, "verdict", run.verdict());
        Json.putIfPresent(json, "held_by", progress.heldBy());
        json.put("fingerprint", run.fingerprint());
        json.put("standings", Json.standings(progress.standings()));
        json.put("fates", Json.sums(progress.results(), MoveResult.values()));
        if (run.kind().isOfWaits()) {
            json.put("results", waits(progress.results()));
        }
        putOutcomes(json, progress.outcomes(), progress.asked());
        return json;
    }

    public static Map<String, Object> waits(SumsByKind<MoveResult> results) {
        return Json.sums(results, new MoveResult[] {MoveResult.RETRIED, MoveResult.STOPPED, MoveResult.REFUSED, MoveResult.GONE});
    }

    /** What became of those that were sent, and of those about which the PSP was asked. */
    public static void putOutcomes(Map<String, Object> json, Outcomes outcomes, Outcomes asked) {
        var sent = new LinkedHashMap<String, Object>();
        sent.put("entered", Json.sum(outcomes.entered()));
        sent.put("succeeded", Json.sum(outcomes.succeeded()));
        sent.put("declined", Json.sum(outcomes.declined()));
        sent.put("failed_again", Json.sum(outcomes.failedAgain()));
        sent.put("unresolved", Json.sum(outcomes.unresolved()));
        sent.put("open", Json.sum(outcomes.open()));
        json.put("outcomes", sent);
        var about = new LinkedHashMap<String, Object>();
        about.put("asked", Json.sum(asked.entered()));
        about.put("succeeded", Json.sum(asked.succeeded()));
        about.put("declined", Json.sum(asked.declined()));
        about.put("not_charged", Json.sum(asked.failedAgain()));
        about.put("open", Json.sum(asked.open()));
        json.put("asked", about);
    }
}
