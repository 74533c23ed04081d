// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.merge.Outcomes;
import io.chargeonce.dlq.merge.RunProgress;
import io.chargeonce.dlq.merge.RunStep;
import io.chargeonce.dlq.move.MoveResult;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Merge runs for scripts. */
public final class RunJson {

    private RunJson() {}

    public static Map<String, Object> run(MergeRun run) {
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
        json.put("kind", FourEyes.Kind.SETTLE.tag());
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

    public static Map<String, Object> report(MergeRuns.Report report) {
        Map<String, Object> json = run(report.run());
        json.put("standings", Json.standings(report.standings()));
        json.put("fates", Json.sums(report.results(), MoveResult.values()));
        json.put("outcomes", outcomes(report.outcomes()));
        return json;
    }

    public static Map<String, Object> end(RunProgress progress, RunStep end) {
        var json = new LinkedHashMap<String, Object>();
        json.put("dry", false);
        json.put("run", progress.run().id());
        json.put("ended", end.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        json.put("finished", end instanceof RunStep.Finished);
        if (end instanceof RunStep.Aborted aborted) {
            json.put("verdict", aborted.verdict());
        }
        json.put("fingerprint", progress.run().fingerprint());
        json.put("fates", Json.sums(progress.results(), MoveResult.values()));
        json.put("outcomes", outcomes(progress.outcomes()));
        return json;
    }

    public static Map<String, Object> outcomes(Outcomes outcomes) {
        var json = new LinkedHashMap<String, Object>();
        json.put("entered", outcomes.entered());
        json.put("succeeded", outcomes.succeeded());
        json.put("declined", outcomes.declined());
        json.put("failed_again", outcomes.failedAgain());
        json.put("unresolved", outcomes.unresolved());
        json.put("open", outcomes.open());
        return json;
    }
}
