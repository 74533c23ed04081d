// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.runs.Expect;
import io.chargeonce.console.runs.LedRuns;
import io.chargeonce.console.runs.RunDocuments;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunState;
import io.chargeonce.dlq.run.RunTerms;
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
        Stream<Map<String, Object>> runs = new DlqRuns(call.queue()).newest(NEWEST).stream()
                .map(run -> documents.line(call.session(), run));
        return ConsoleApi.json(200, Map.of("items", Stream.concat(findings, runs).toList()));
    }

    private Answer document(Call call, int status, String id) {
        Optional<DlqRuns.Report> report = new DlqRuns(call.queue()).report(id);
        if (report.isPresent()) {
            return ConsoleApi.json(status, documents.whole(call.session(), report.get(), mustBeApproved(call, report.get().run())));
        }
        var fourEyes = new FourEyes(call.queue());
        Map<String, Object> finding = fourEyes.waiting().stream().filter(waiting -> waiting.run().equals(id)).findFirst()
                .map(waiting -> documents.finding(call.session(), waiting)).orElseThrow(RunRoutes::unknown);
        finding.put("fingerprint", fourEyes.proposal(id).orElseThrow(RunRoutes::unknown).fingerprint());
        return ConsoleApi.json(status, finding);
    }

    private static boolean mustBeApproved(Call call, DlqRun run) {
        return !run.state().isEnd() && new FourEyes(call.queue()).mustBeApproved(run.id());
    }

    private static RuntimeException unknown() {
        return ConsoleProblems.noSuch("There is no such run.").refusal();
    }

    private static DlqRun run(Call call) {
        return new DlqRuns(call.queue()).find(call.path("id")).orElseThrow(RunRoutes::unknown);
    }

    /** Freezes exactly what was shown, and moves nothing. */
    private Answer plan(Call call) {
        RunKind kind = Stream.of(RunKind.values()).filter(one -> !one.isOfWaits() && call.text("kind").equals(Optional.of(one.tag())))
                .findFirst().orElseThrow(() -> ConsoleProblems.wrong("kind must be merge, purge or restore.").refusal());
        Optional<String> reason = Filters.reason(call.text("reason"), kind.needsReason());
        Expect expect = Expect.of(call.json());
        DeadLetterFilter filter = filter(call);
        RunTerms terms = terms(call, kind, filter);
        Plan plan = kind.plan(call.queue(), filter);
        expect.check(plan);
        if (plan.standings().total().count() == 0) {
            throw ConsoleProblems.wrong("There is nothing of this kind.").refusal();
        }
        kind.refusal(plan).ifPresent(why -> {
            throw ConsoleProblems.wrong(Character.toUpperCase(why.charAt(0)) + why.substring(1) + ".").refusal();
        });
        AuditContext by = call.by(reason);
        var runs = new DlqRuns(call.queue());
        DlqRun run = runs.plan(kind, plan.selection(), by, terms);
        refuseIfChanged(runs, by, plan, run);
        awaits(call, run);
        return document(call, 201, run.id());
    }

    private static boolean awaits(Call call, DlqRun run) {
        boolean must = mustBeApproved(call, run);
        if (must) {
            new FourEyes(call.queue()).await(run.id());
        }
        return must;
    }

    /** Leads what was planned just now, unless another person has to approve it first. */
    Answer begin(Call call, AuditContext by, DlqRun planned) {
        if (!awaits(call, planned)) {
            led.lead(call.session(), by, planned);
        }
        return document(call, 202, planned.id());
    }

    /** Between the look and the freezing another run may have moved some of the set. */
    private static void refuseIfChanged(DlqRuns runs, AuditContext by, Plan seen, DlqRun frozen) {
        if (!frozen.fingerprint().equals(seen.fingerprint())) {
            runs.cancel(by);
            throw ConsoleProblems.changed("Some of it was moved while it was frozen.").refusal();
        }
    }

    private static RunTerms terms(Call call, RunKind kind, DeadLetterFilter filter) {
        boolean evenCapped = call.flag("even_capped");
        if (evenCapped && filter.ids().isEmpty()) {
            throw ConsoleProblems.wrong("even_capped needs ids: look at each of these payments first.").refusal();
        }
        var given = new LinkedHashMap<String, String>();
        for (String term : TERMS) {
            call.number(term).ifPresent(number -> given.put(term.equals("abort_above_percent") ? "abort-above" : term, "" + number));
        }
        return Filters.terms(kind, given, evenCapped).evenUnresolved(kind == RunKind.PURGE && call.flag("even_unresolved"));
    }

    private static DeadLetterFilter filter(Call call) {
        JsonNode body = call.json();
        if (body.has("ids") == body.has("filter")) {
            throw ConsoleProblems.wrong("Name either ids or a filter; an empty filter is everything.").refusal();
        }
        return body.has("ids") ? DeadLetterFilter.ofIds(ids(body)) : Filters.letters(call.queue(), filter(body), Optional.empty());
    }

    static List<String> ids(JsonNode body) {
        var ids = new ArrayList<String>();
        if (!body.path("ids").isArray()) {
            throw ConsoleProblems.wrong("ids is not an array.").refusal();
        }
        for (JsonNode id : body.path("ids")) {
            if (!id.isString() || id.asString().isEmpty()) {
                throw ConsoleProblems.wrong("ids are texts.").refusal();
            }
            ids.add(id.asString());
        }
        if (ids.isEmpty()) {
            throw ConsoleProblems.wrong("ids names none.").refusal();
        }
        return ids;
    }

    static Map<String, String> filter(JsonNode body) {
        var filter = new LinkedHashMap<String, String>();
        if (!body.path("filter").isObject()) {
            throw ConsoleProblems.wrong("filter is not an object.").refusal();
        }
        body.path("filter").properties().forEach(one -> {
            if (!one.getValue().isValueNode()) {
                throw ConsoleProblems.wrong("A filter's values are texts and numbers.").refusal();
            }
            if (!one.getValue().isNull() && !one.getValue().asString().isEmpty()) {
                filter.put(one.getKey(), one.getValue().asString());
            }
        });
        return filter;
    }

    private Answer begin(Call call, List<RunState> from) {
        DlqRun run = run(call);
        if (from.contains(RunState.PLANNED)) {
            requireSeen(call, run.fingerprint());
        }
        if (!from.contains(run.state())) {
            throw ConsoleProblems.notNow("%s is %s.".formatted(run.id(), run.state().tag()),
                    run.state().isEnd() ? "Plan a new run." : run.state() == RunState.PLANNED ? "Start it." : "Resume it.").refusal();
        }
        if (awaits(call, run)) {
            throw ConsoleProblems.notNow("%s is more than one person may do alone within 24 hours.".formatted(run.id()),
                    "Have another person approve it.").refusal();
        }
        led.lead(call.session(), call.by(run.reason(), run.id()), run);
        return document(call, 202, run.id());
    }

    private static void requireSeen(Call call, String fingerprint) {
        String seen =
                call.text("fingerprint")
                        .orElseThrow(() -> ConsoleProblems.wrong("fingerprint is missing: that of what was shown.").refusal());
        if (!seen.equals(fingerprint)) {
            throw ConsoleProblems.changed("The set is not the one that was shown: its fingerprint is %s.".formatted(fingerprint)).refusal();
        }
    }

    private Answer rate(Call call) {
        DlqRun run = run(call);
        int rate = call.number("rate").filter(number -> number > 0 && number <= HIGHEST_RATE)
                .orElseThrow(() -> ConsoleProblems.wrong("rate must be a whole number from 1 to %d.".formatted(HIGHEST_RATE)).refusal());
        if (!new DlqRuns(call.queue()).setRate(call.by(run.reason(), run.id()), rate)) {
            throw ended(run);
        }
        return document(call, 200, run.id());
    }

    private static RuntimeException ended(DlqRun run) {
        return ConsoleProblems.notNow("%s has ended.".formatted(run.id()), "Look at what became of it.").refusal();
    }

    /** The reason that is given, or else the run's. */
    private static Optional<String> why(Call call, DlqRun run) {
        return Filters.reason(call.text("reason"), false).or(run::reason);
    }

    private Answer stop(Call call) {
        DlqRun run = run(call);
        if (!new DlqRuns(call.queue()).stop(call.by(why(call, run), run.id()))) {
            throw ConsoleProblems.notNow("Nothing runs %s now.".formatted(run.id()), "Cancel it to end it for good.").refusal();
        }
        led.brake(run.id());
        return document(call, 200, run.id());
    }

    private Answer cancel(Call call) {
        DlqRun run = run(call);
        if (!new DlqRuns(call.queue()).cancel(call.by(why(call, run), run.id()))) {
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
        return proposal.isFinding()
                ? ConsoleApi.json(200, Map.of("run", call.path("id"), "kind", "settle", "approved", true))
                : document(call, 200, call.path("id"));
    }
}
