// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.runs;

import io.chargeonce.console.answer.MoneyJson;
import io.chargeonce.console.session.Session;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.Outcomes;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunProgress;
import io.chargeonce.dlq.run.RunState;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.words.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A run as the page shows it: what the command line prints, and what this person can do with it now. */
public record RunDocuments(LedRuns led) {

    /** One line of the list. */
    public Map<String, Object> line(Session session, DlqRun run) {
        Map<String, Object> json = RunJson.run(run);
        json.put("money", MoneyJson.of(run.sum()));
        json.put("can", can(session, run, run.awaitsApproval()));
        return json;
    }

    /** @param mustBeApproved whether the database wants another person before this one begins it */
    public Map<String, Object> whole(Session session, DlqRuns.Report report, boolean mustBeApproved) {
        DlqRun run = report.run();
        Optional<RunProgress> progress = led.progress(run.id());
        Map<String, Object> json = RunJson.report(progress.map(now -> new DlqRuns.Report(run, report.standings(), now.results(),
                now.outcomes(), now.asked(), report.targets())).orElse(report));
        json.put("led", run.isLed());
        json.put("money", MoneyJson.of(run.sum()));
        Sum done = progress.map(RunProgress::results).orElse(report.results()).total();
        json.put("done", done.count());
        json.put("done_money", MoneyJson.of(done));
        json.put("warnings", warnings(report));
        boolean needsApproval = mustBeApproved || run.awaitsApproval() && !run.plannedBy().equals(session.person());
        json.put("needs_approval", needsApproval);
        progress.ifPresent(now -> {
            json.put("phase", now.phase().name().toLowerCase(Locale.ROOT));
            now.pace().perSecond().ifPresent(rate -> json.put("rate_now", rate));
            now.heldBy().ifPresent(pause -> json.put("held_by", pause));
        });
        led.trouble(run.id()).filter(why -> !run.isLed() && !run.state().isEnd()).ifPresent(why -> json.put("stopped_because", why));
        json.put("can", can(session, run, needsApproval));
        return json;
    }

    /** What a person found out is one payment, and is approved like a run. */
    public Map<String, Object> finding(Session session, FourEyes.Waiting waiting) {
        var json = new LinkedHashMap<>(RunJson.finding(waiting));
        json.put("standings", Map.of());
        json.put("fates", Map.of());
        json.put("money", MoneyJson.of(Sum.of(Optional.of(waiting.finding().money()))));
        RunJson.putOutcomes(json, Outcomes.NONE, Outcomes.NONE);
        json.put("needs_approval", true);
        json.put("can", session.mayApprove() && !waiting.proposedBy().equals(session.person()) ? List.of("approve") : List.of());
        return json;
    }

    private static List<String> can(Session session, DlqRun run, boolean needsApproval) {
        var can = new ArrayList<String>();
        if (!session.mayOperate() || run.state().isEnd()) {
            return List.of();
        }
        boolean canBegin = !needsApproval && !run.isLed();
        if (canBegin) {
            can.add(run.state() == RunState.PLANNED ? "start" : "resume");
        }
        if (run.isLed()) {
            can.add("stop");
        }
        can.add("rate");
        if (needsApproval && session.mayApprove() && !run.plannedBy().equals(session.person())) {
            can.add("approve");
        }
        can.add("cancel");
        return List.copyOf(can);
    }

    /** What will not go as a person may think. */
    private static List<String> warnings(DlqRuns.Report report) {
        DlqRun run = report.run();
        var warnings = new ArrayList<String>();
        for (MoneyStatus standing : MoneyStatus.values()) {
            long count = report.standings().of(standing).count();
            boolean usual = standing == MoneyStatus.RECHARGEABLE || standing == MoneyStatus.MENDED || standing == MoneyStatus.FOREIGN
                    || standing == MoneyStatus.STOPPED && run.terms().evenStopped();
            if (count > 0 && run.kind() == RunKind.MERGE && !usual) {
                warnings.add("%,d %s: %s".formatted(count, Words.of(standing), Words.whyByMerge(standing)));
            } else if (count > 0 && !run.kind().takes(standing, run.terms())) {
                warnings.add("%,d %s: %s".formatted(count, Words.of(standing), Words.planned(run.kind(), run.terms(), standing)));
            } else if (count > 0 && run.kind() == RunKind.PURGE && standing == MoneyStatus.UNRESOLVED) {
                warnings.add("%,d may have been charged, or may still be by what the PSP has: %s"
                        .formatted(count, "nothing is sent for them any more, and money that moved is an incident"));
            }
        }
        return List.copyOf(warnings);
    }
}
