// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.answer.Problems;
import io.chargeonce.console.runs.Expect;
import io.chargeonce.console.runs.LedRuns;
import io.chargeonce.console.runs.RunDocuments;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.merge.FrozenChange;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.merge.RunState;
import io.chargeonce.dlq.merge.RunTerms;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.http.Answer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Merges, purges and restores as runs: planned, shown, started, and ended. The commands' classes do all of it. */
record RunRoutes(RunDocuments documents, LedRuns led) implements ConsoleApi.Routes {

    private static final int NEWEST = 50;
    /** As the command line has it. */
    private static final int HIGHEST_RATE = 999_999_999;
    private static final String ONE = "/api/runs/{id}";
    private static final List<String> TERMS = List.of("canary", "rate", "max_rate", "abort_above_percent");

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/runs", this::list);
        rules.post("/api/runs", this::plan);
        rules.get(ONE, call -> document(call, 200, call.path("id")));
        rules.post(ONE + "/start", call -> begin(call, List.of(RunState.PLANNED)));
        rules.post(ONE + "/resume", call -> begin(call, List.of(RunState.RUNNING, RunState.ABORTED)));
        rules.post(ONE + "/rate", this::rate);
        rules.post(ONE + "/stop", this::stop);
        rules.post(ONE + "/cancel", this::cancel);
        rules.post(ONE + "/approve", this::approve);
    }

    private Answer list(Call call) {
        Stream<Map<String, Object>> findings = new FourEyes(call.queue()).waiting().stream()
                .map(waiting -> documents.finding(call.session(), waiting));
        Stream<Map<String, Object>> runs = new MergeRuns(call.queue()).newest(NEWEST).stream()
                .map(run -> documents.line(call.session(), run));
        return ConsoleApi.json(200, Map.of("items", Stream.concat(findings, runs).toList()));
    }

    private Answer document(Call call, int status, String id) {
        Optional<MergeRuns.Report> report = new MergeRuns(call.queue()).report(id);
        if (report.isPresent()) {
            return ConsoleApi.json(status, documents.whole(call.session(), report.get(), mustBeApproved(call, report.get().run())));
        }
        var fourEyes = new FourEyes(call.queue());
        Map<String, Object> finding = fourEyes.waiting().stream().filter(waiting -> waiting.run().equals(id)).findFirst()
                .map(waiting -> documents.finding(call.session(), waiting)).orElseThrow(RunRoutes::unknown);
        finding.put("fingerprint", fourEyes.proposal(id).orElseThrow(RunRoutes::unknown).fingerprint());
        return ConsoleApi.json(status, finding);
    }

    private static boolean mustBeApproved(Call call, MergeRun run) {
        return !run.state().isEnd() && new FourEyes(call.queue()).mustBeApproved(run.id());
    }

    private static RuntimeException unknown() {
        return Problems.noSuch("There is no such run.").refusal();
    }

    private static MergeRun run(Call call) {
        return new MergeRuns(call.queue()).find(call.path("id")).orElseThrow(RunRoutes::unknown);
    }

    /** Freezes exactly what was shown, and moves nothing. */
    private Answer plan(Call call) {
        FourEyes.Kind kind = switch (call.text("kind").orElse("")) {
            case "merge" -> FourEyes.Kind.MERGE;
            case "purge" -> FourEyes.Kind.PURGE;
            case "restore" -> FourEyes.Kind.RESTORE;
            default -> throw Problems.wrong("kind must be merge, purge or restore.").refusal();
        };
        Optional<String> reason = Filters.reason(call.text("reason"), kind != FourEyes.Kind.MERGE);
        Expect expect = Expect.of(call.json());
        DeadLetterFilter filter = filter(call);
        RunTerms terms = terms(call, filter);
        Plan plan = kind == FourEyes.Kind.RESTORE ? Plan.ofPurged(call.queue(), filter) : Plan.of(call.queue(), filter);
        expect.check(plan);
        if (plan.standings().total().count() == 0) {
            throw Problems.wrong("There is nothing of this kind.").refusal();
        }
        AuditContext by = call.by(reason);
        var runs = new MergeRuns(call.queue());
        MergeRun run = kind == FourEyes.Kind.MERGE ? runs.plan(plan.selection(), by, terms)
                : new FrozenChange(call.queue()).plan(plan, kind, call.flag("even_unresolved"), by);
        refuseIfChanged(runs, by, plan, run);
        if (mustBeApproved(call, run)) {
            new FourEyes(call.queue()).await(run.id());
        }
        return document(call, 201, run.id());
    }

    /** Between the look and the freezing another run may have moved some of the set. */
    private static void refuseIfChanged(MergeRuns runs, AuditContext by, Plan seen, MergeRun frozen) {
        if (!frozen.fingerprint().equals(seen.fingerprint())) {
            runs.cancel(by);
            throw Problems.changed("Some of it was moved while it was frozen.").refusal();
        }
    }

    private static RunTerms terms(Call call, DeadLetterFilter filter) {
        boolean evenCapped = call.flag("even_capped");
        if (evenCapped && filter.ids().isEmpty()) {
            throw Problems.wrong("even_capped needs ids: look at each of these payments first.").refusal();
        }
        var given = new LinkedHashMap<String, String>();
        for (String term : TERMS) {
            call.number(term).ifPresent(number -> given.put(term.equals("abort_above_percent") ? "abort-above" : term, "" + number));
        }
        return Filters.terms(given, evenCapped);
    }

    private static DeadLetterFilter filter(Call call) {
        JsonNode body = call.json();
        if (body.has("ids") == body.has("filter")) {
            throw Problems.wrong("Name either ids or a filter; an empty filter is everything.").refusal();
        }
        return body.has("ids") ? DeadLetterFilter.ofIds(ids(body)) : Filters.letters(call.queue(), filter(body), Optional.empty());
    }

    static List<String> ids(JsonNode body) {
        var ids = new ArrayList<String>();
        if (!body.path("ids").isArray()) {
            throw Problems.wrong("ids is not an array.").refusal();
        }
        for (JsonNode id : body.path("ids")) {
            if (!id.isString() || id.asString().isEmpty()) {
                throw Problems.wrong("ids are texts.").refusal();
            }
            ids.add(id.asString());
        }
        if (ids.isEmpty()) {
            throw Problems.wrong("ids names none.").refusal();
        }
        return ids;
    }

    static Map<String, String> filter(JsonNode body) {
        var filter = new LinkedHashMap<String, String>();
        if (!body.path("filter").isObject()) {
            throw Problems.wrong("filter is not an object.").refusal();
        }
        body.path("filter").properties().forEach(one -> {
            if (!one.getValue().isValueNode()) {
                throw Problems.wrong("A filter's values are texts and numbers.").refusal();
            }
            if (!one.getValue().isNull() && !one.getValue().asString().isEmpty()) {
                filter.put(one.getKey(), one.getValue().asString());
            }
        });
        return filter;
    }

    private Answer begin(Call call, List<RunState> from) {
        MergeRun run = run(call);
        if (from.contains(RunState.PLANNED)) {
            requireSeen(call, run.fingerprint());
        }
        if (!from.contains(run.state())) {
            throw Problems.notNow("%s is %s.".formatted(run.id(), run.state().tag()),
                    run.state().isEnd() ? "Plan a new run." : run.state() == RunState.PLANNED ? "Start it." : "Resume it.").refusal();
        }
        if (mustBeApproved(call, run)) {
            throw Problems.notNow("%s is more than one person may do alone within 24 hours.".formatted(run.id()),
                    "Have another person approve it.").refusal();
        }
        led.lead(call.session(), call.by(run.reason(), run.id()), run);
        return document(call, 202, run.id());
    }

    private static void requireSeen(Call call, String fingerprint) {
        String seen =
                call.text("fingerprint").orElseThrow(() -> Problems.wrong("fingerprint is missing: that of what was shown.").refusal());
        if (!seen.equals(fingerprint)) {
            throw Problems.changed("The set is not the one that was shown: its fingerprint is %s.".formatted(fingerprint)).refusal();
        }
    }

    private Answer rate(Call call) {
        MergeRun run = run(call);
        int rate = call.number("rate").filter(number -> number > 0 && number <= HIGHEST_RATE)
                .orElseThrow(() -> Problems.wrong("rate must be a whole number from 1 to %d.".formatted(HIGHEST_RATE)).refusal());
        if (run.kind() != FourEyes.Kind.MERGE) {
            throw Problems.notNow("A %s has no rate: it charges nothing.".formatted(run.kind().tag()), "Stop it if it is too fast.")
                    .refusal();
        }
        if (!new MergeRuns(call.queue()).setRate(call.by(run.reason(), run.id()), rate)) {
            throw ended(run);
        }
        return document(call, 200, run.id());
    }

    private static RuntimeException ended(MergeRun run) {
        return Problems.notNow("%s has ended.".formatted(run.id()), "Look at what became of it.").refusal();
    }

    /** The reason that is given, or else the run's. */
    private static Optional<String> why(Call call, MergeRun run) {
        return Filters.reason(call.text("reason"), false).or(run::reason);
    }

    private Answer stop(Call call) {
        MergeRun run = run(call);
        if (!new MergeRuns(call.queue()).stop(call.by(why(call, run), run.id()))) {
            throw Problems.notNow("Nothing runs %s now.".formatted(run.id()), "Cancel it to end it for good.").refusal();
        }
        led.brake(run.id());
        return document(call, 200, run.id());
    }

    private Answer cancel(Call call) {
        MergeRun run = run(call);
        if (!new MergeRuns(call.queue()).cancel(call.by(why(call, run), run.id()))) {
            throw ended(run);
        }
        led.brake(run.id());
        return document(call, 200, run.id());
    }

    private Answer approve(Call call) {
        var fourEyes = new FourEyes(call.queue());
        FourEyes.Proposal proposal = fourEyes.proposal(call.path("id")).orElseThrow(RunRoutes::unknown);
        requireSeen(call, proposal.fingerprint());
        fourEyes.approve(call.by(Optional.empty(), call.path("id")), proposal);
        return proposal.kind() == FourEyes.Kind.SETTLE
                ? ConsoleApi.json(200, Map.of("run", call.path("id"), "kind", "settle", "approved", true))
                : document(call, 200, call.path("id"));
    }
}
