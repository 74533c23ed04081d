// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.runtime.SteadyClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** Runs: planned, taken by one leader at a time, cancelled, looked at. Safe for any thread. */
public final class DlqRuns {

    private static final Duration LOOK_EVERY = Duration.ofMillis(250);
    private static final int LOOKS = 1_000;

    private final DeadLetterQueue queue;

    public DlqRuns(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** Freezes the selection as it is now, under the run of this audit context. Moves nothing. */
    public DlqRun plan(RunKind kind, Selection selection, AuditContext by, RunTerms given) {
        RunTerms terms = given.selecting(kind, selection.filter());
        return plan(kind, by, terms, connection -> RunItems.freeze(connection, kind, by.run(), selection, terms));
    }

    /** The same of what waits since before a moment. */
    public DlqRun plan(RunKind kind, WaitingFilter filter, Instant asOf, AuditContext by, RunTerms terms) {
        return plan(kind, by, terms, connection -> RunItems.freeze(connection, kind, by.run(), filter, asOf, terms));
    }

    private interface Freezing {
        RunItems.Frozen with(Connection connection) throws SQLException;
    }

    private DlqRun plan(RunKind kind, AuditContext by, RunTerms terms, Freezing freezing) {
        if (kind.needsReason() && by.reason().isEmpty()) {
            throw new IllegalArgumentException("a %s needs a reason".formatted(kind.tag()));
        }
        return queue.database().inTransaction(connection -> {
            RunRows.insert(connection, kind, by, terms, freezing.with(connection));
            RunAudit.append(connection, by, "dlq.run.planned", Optional.empty());
            return RunRows.find(connection, by.run()).orElseThrow();
        });
    }

    /** Plans a run and leads it to its end, as services and tests do, which look at nothing on the way. */
    public SumsByKind<MoveResult> unattended(RunKind kind, Plan plan, AuditContext by, RunTerms terms) {
        plan(kind, plan.selection(), by, terms);
        return unattended(by);
    }

    /** Leads the run of this audit context to its end at once. */
    public SumsByKind<MoveResult> unattended(AuditContext by) {
        RunLeader leader = take(by, new SteadyClock(), progress -> {})
                .orElseThrow(() -> new IllegalStateException("Bug! Another process took a run that was not visible yet: " + by.run()));
        leader.run(new Brake());
        return leader.progress().results();
    }

    public Optional<DlqRun> find(String id) {
        return queue.database().withConnection(connection -> RunRows.find(connection, id));
    }

    public List<DlqRun> newest(int limit) {
        return queue.database().withConnection(connection -> RunRows.newest(connection, limit));
    }

    /**
     * Becomes the leader of a run that was planned, stopped, killed or aborted.
     *
     * @param by  whose run is meant, and who leads it from now on
     * @param progress gets the state after every step, on the leader's thread
     * @return empty if the run has ended, or another process leads it
     */
    public Optional<RunLeader> take(AuditContext by, InstantSource clock, Consumer<RunProgress> progress) {
        UUID token = UUID.randomUUID();
        boolean taken = change(by, "dlq.run.led", Optional.empty(), connection -> RunRows.take(connection, by.run(), token));
        return taken ? find(by.run()).map(run -> new RunLeader(queue, run, by, token, clock, progress)) : Optional.empty();
    }

    /**
     * The same, and waits for a leader that may have been killed: until it has been silent for so long that it was.
     *
     * @param waits gets the run once if so, on this thread
     * @return empty if the run has ended, or its leader has given a sign of life
     */
    public Optional<RunLeader> takeOver(AuditContext by, InstantSource clock, Consumer<RunProgress> progress, Consumer<DlqRun> waits) {
        Optional<DlqRun> before = Optional.empty();
        while (true) {
            Optional<RunLeader> leader = take(by, clock, progress);
            DlqRun now = find(by.run()).orElseThrow();
            if (leader.isPresent() || now.state().isEnd() || before.filter(now::hasBeenHeardSince).isPresent()) {
                return leader;
            }
            // Else it was let go just now.
            if (now.isLed()) {
                if (before.isEmpty()) {
                    waits.accept(now);
                }
                before = Optional.of(now);
                new Brake().rest(LOOK_EVERY);
            }
        }
    }

    /** Ends a run for good; its leader stops at its next batch. What was moved stays moved. @return false if it had ended before */
    public boolean cancel(AuditContext by) {
        return change(by, "dlq.run.cancelled", Optional.empty(), connection -> RunRows.cancel(connection, by.run()));
    }

    /** Has a run's leader stop between two batches, wherever it is; the run can be resumed at once. @return false if nothing led it */
    public boolean stop(AuditContext by) {
        return change(by, "dlq.run.stopped", Optional.empty(), connection -> RunRows.stop(connection, by.run()));
    }

    /**
     * How fast a run goes from now on, also while it runs: its leader looks once a second. It is a limit too: a rate that a person sets is
     * not doubled.
     *
     * @return false if it has ended
     */
    public boolean setRate(AuditContext by, int perSecond) {
        return change(by, "dlq.run.rate_set", Optional.of("%d a second".formatted(perSecond)),
                connection -> RunRows.setRate(connection, by.run(), perSecond));
    }

    private interface Change {
        boolean on(Connection connection) throws SQLException;
    }

    private boolean change(AuditContext by, String action, Optional<String> why, Change change) {
        return queue.change(connection -> {
            boolean changed = change.on(connection);
            if (changed) {
                RunAudit.append(connection, by, action, why);
            }
            return changed;
        });
    }

    /**
     * What a run holds, did and brought about, as far as that is known by now.
     *
     * @param targets as those of a {@link Plan}, until it begins
     */
    public record Report(DlqRun run, SumsByKind<MoneyStatus> standings, SumsByKind<MoveResult> results, Outcomes outcomes,
            Outcomes asked, Map<String, Long> targets) {}

    /** A run that had sent everything is judged once more by what has become of it since. */
    public Optional<Report> report(String id) {
        return queue.database().withConnection(connection -> {
            Optional<DlqRun> run = RunRows.find(connection, id);
            if (run.isEmpty()) {
                return Optional.empty();
            }
            RunOutcomes.Heard news = run.get().isLed() ? NOTHING_NEW : lookAtAll(connection, id);
            RunCounts counts = RunCounts.of(connection, id);
            return Optional.of(new Report(judged(connection, run.get(), news), counts.standings(), counts.results(),
                    counts.outcomes().plus(news.change()), counts.asked().plus(news.asked()),
                    run.get().state() == RunState.PLANNED && counts.standings().of(MoneyStatus.FOREIGN).count() > 0
                            ? RunItems.targets(connection, id) : Map.of()));
        });
    }

    private static DlqRun judged(Connection connection, DlqRun run, RunOutcomes.Heard news) throws SQLException {
        if (run.state() != RunState.FINISHED) {
            return run;
        }
        Outcomes outcomes = RunOutcomes.count(connection, run.id(), run.judgedAfter()).plus(news.change());
        if (!outcomes.areWorseThan(run.terms().abortAbovePercent())) {
            return run;
        }
        DlqRun stopped = run.stoppedBy(outcomes.verdict(run.counted("%,d".formatted(outcomes.entered().count()))));
        if (RunOutcomes.mayKeep(connection)) {
            RunRows.stopAfterwards(connection, stopped);
        }
        return stopped;
    }

    private static final RunOutcomes.Heard NOTHING_NEW = new RunOutcomes.Heard(Outcomes.NONE, Outcomes.NONE, 0);

    /** A leader keeps count of what it hears itself, so only a run without a leader is looked at here. @return what could not be kept */
    private static RunOutcomes.Heard lookAtAll(Connection connection, String id) throws SQLException {
        boolean keeps = RunOutcomes.mayKeep(connection);
        RunOutcomes.Heard news = NOTHING_NEW;
        int after = 0;
        for (int look = 0; look < LOOKS; look++) {
            RunOutcomes.Heard heard = keeps ? RunOutcomes.observe(connection, id, after) : RunOutcomes.glance(connection, id, after);
            news = keeps ? news : new RunOutcomes.Heard(news.change().plus(heard.change()), news.asked().plus(heard.asked()), 0);
            after = heard.last();
            if (after == 0) {
                break;
            }
        }
        return news;
    }
}
