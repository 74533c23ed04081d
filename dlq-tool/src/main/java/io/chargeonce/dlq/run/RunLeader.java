// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Leads one run to its end: a canary, then the rest at a rate. A merge is judged by what became of its payments: first the canary's; the
 * rate grows while all goes well, and it goes no further when too many fail again. What has failed again by its end is counted too: a run
 * that sent everything and whose payments die again has stopped, and not finished. Of a change that is final at once, and of a merge that
 * charges nothing, no more is seen: after its canary it stops, and a person who has looked resumes it. Every batch is one commit, so a
 * process that takes over from a killed leader goes on exactly where it ended. One thread.
 */
public final class RunLeader {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration AWAIT_OUTCOMES = Duration.ofMillis(200);

    private final DeadLetterQueue queue;
    private final DlqRun run;
    private final AuditContext by;
    private final UUID token;
    private final RunBatches batches;
    private final InstantSource clock;
    private final Consumer<RunProgress> progress;

    private SumsByKind<MoveResult> results;
    private SumsByKind<MoneyStatus> standings;
    /** How many of them the canary is drawn from. */
    private final long tried;
    /** Whether what becomes of them decides if the run goes on. */
    private final boolean isJudged;
    private final Throttle throttle;
    private final RecentOutcomes recent = new RecentOutcomes();
    private Outcomes outcomes;
    private Outcomes asked;
    private RunProgress.Phase phase;
    /** The position of the next that has to be moved. */
    private int next;
    private int lookedUpTo;
    private Instant nextLook = Instant.MIN;
    private Optional<Duration> patience = Optional.empty();
    private Optional<Instant> allSentAt = Optional.empty();
    private Optional<String> heldBy = Optional.empty();
    private Optional<Instant> heldSince = Optional.empty();

    RunLeader(DeadLetterQueue queue, DlqRun run, AuditContext by, UUID token, InstantSource clock, Consumer<RunProgress> progress) {
        this.queue = queue;
        this.run = run;
        this.by = by;
        this.token = token;
        this.batches = new RunBatches(queue, run, by, token);
        this.clock = clock;
        this.progress = progress;
        this.throttle = new Throttle(run.terms(), clock.instant());
        this.next = queue.database().withConnection(connection -> RunItems.firstUnmoved(connection, run));
        recount();
        long triedHere = run.kind().isOfWaits() ? run.items() : count(standing -> run.kind().tries(standing, run.terms()));
        this.isJudged = run.kind().isWatched() && triedHere > 0;
        this.tried = triedHere > 0 ? triedHere : count(run.kind()::triesElsewhere);
        boolean canaryIsOver = run.terms().canary() == 0 || (isJudged
                ? count(run.judgedAfter()).entered().count() > run.terms().canary() : run.judgedAfter() > 0);
        this.phase = canaryIsOver ? RunProgress.Phase.RAMP : RunProgress.Phase.CANARY;
    }

    private long count(Predicate<MoneyStatus> which) {
        return Arrays.stream(MoneyStatus.values()).filter(which).mapToLong(standing -> standings.of(standing).count()).sum();
    }

    private void recount() {
        RunCounts counts = queue.database().withConnection(connection -> RunCounts.of(connection, run.id()));
        results = counts.results();
        standings = counts.standings();
        outcomes = counts.outcomes();
        asked = counts.asked();
    }

    public DlqRun led() {
        return run;
    }

    /** Until the run ends or the brake is pressed, however long a pause holds its canary. What was sent last may end later. */
    public RunStep run(Brake brake) {
        return run(brake, Optional.empty());
    }

    /** @param longest how long to wait for what becomes of the last payments, when all was sent, and for a canary that a pause holds */
    public RunStep run(Brake brake, Duration longest) {
        return run(brake, Optional.of(longest));
    }

    private RunStep run(Brake brake, Optional<Duration> longest) {
        patience = longest;
        try {
            while (!brake.isPressed()) {
                switch (runOnce()) {
                    case RunStep.Moved moved -> {
                    }
                    case RunStep.Waits waits -> brake.rest(waits.pause());
                    case RunStep.Finished finished -> {
                        return finished;
                    }
                    case RunStep.Aborted aborted -> {
                        return aborted;
                    }
                    case RunStep.Lost lost -> {
                        return lost;
                    }
                    case RunStep.Held held -> {
                        return held;
                    }
                    case RunStep.Stopped stopped -> throw new IllegalStateException("Bug! Only the brake stops a run");
                    case RunStep.Unapproved unapproved -> throw new IllegalStateException("Bug! Only the database refuses a step");
                }
            }
            return allSentAt.isPresent() ? finish() : new RunStep.Stopped();
        } catch (DatabaseRefused e) {
            if (!e.isByFourEyes()) {
                throw e;
            }
            // Other batches of the same step may have been committed.
            recount();
            new FourEyes(queue).await(run.id());
            return new RunStep.Unapproved();
        } finally {
            letGo();
        }
    }

    public RunProgress progress() {
        return new RunProgress(run, phase, standings, results, outcomes, asked, throttle.pace(), heldBy);
    }

    RunStep runOnce() {
        RunStep step = switch (phase) {
            case CANARY, CANARY_IS_AWAITED -> look() ? isJudged ? judgedCanary() : shownCanary() : new RunStep.Lost();
            case RAMP -> ramp();
            case LAST_ARE_AWAITED -> awaitTheLast();
        };
        progress.accept(progress());
        return step;
    }

    /** A person looks at what it did before the rest goes. Who resumes the run has looked. */
    private RunStep shownCanary() {
        int canary = run.terms().canary();
        if (next <= canary) {
            return move(Math.min(RunBatches.MOST, canary - next + 1));
        }
        long moved = MoveResult.moved(results);
        if (moved < tried && results.total().count() < run.items()) {
            return abort("%,d of the canary's %,d are %s; a person looks at them first".formatted(moved, canary, run.kind().done()),
                    Sum.NOTHING);
        }
        phase = RunProgress.Phase.RAMP;
        return ramp();
    }

    private RunStep judgedCanary() {
        Outcomes canary = count(run.judgedAfter());
        if (canary.isWorseThan(run.terms().abortAbovePercent(), run.terms().canary())) {
            return abort(canary, run.counted("the canary's %,d".formatted(run.terms().canary())));
        }
        if (canary.entered().count() < run.terms().canary()) {
            phase = RunProgress.Phase.CANARY;
            return move((int) Math.min(RunBatches.MOST, run.terms().canary() - canary.entered().count()));
        }
        boolean someAreLeft = results.of(MoveResult.REENTERED).count() < tried;
        if (canary.open().count() > 0 && someAreLeft) {
            phase = RunProgress.Phase.CANARY_IS_AWAITED;
            return awaitCanary();
        }
        heldBy = Optional.empty();
        phase = RunProgress.Phase.RAMP;
        return ramp();
    }

    /** Without an end, unless a person's pause holds it: then as long as the patience, if there is one. */
    private RunStep awaitCanary() {
        Instant now = clock.instant();
        heldBy = queue.database().withConnection(connection -> RunOutcomes.heldBy(connection, run.id()));
        heldSince = heldBy.map(pause -> heldSince.orElse(now));
        Optional<Instant> until = heldSince.flatMap(since -> patience.map(since::plus));
        return until.isPresent() && !now.isBefore(until.get()) ? new RunStep.Held(heldBy.orElseThrow())
                : new RunStep.Waits(AWAIT_OUTCOMES);
    }

    private RunStep ramp() {
        Instant now = clock.instant();
        if (!now.isBefore(nextLook)) {
            if (!look()) {
                return new RunStep.Lost();
            }
            nextLook = now.plus(LOOK_EVERY);
            int limit = run.terms().abortAbovePercent();
            if (recent.areWorseThan(limit)) {
                return abort(recent.sum(), "the last %,d".formatted(recent.sum().judged()));
            }
            throttle.follow(termsNow(), now);
            throttle.review(now, recent.areGood(limit), outcomes.judged());
        }
        Duration pause = throttle.untilNext(now);
        return pause.isZero() ? move(throttle.pace().batch(RunBatches.MOST))
                : new RunStep.Waits(pause.compareTo(LOOK_EVERY) < 0 ? pause : LOOK_EVERY);
    }

    /** What became of those that were moved; also a sign of life. False if the run is not ours any more. */
    private boolean look() {
        Optional<RunOutcomes.Heard> heard = queue.change(connection -> RunRows.isStillLedBy(connection, run.id(), token)
                ? Optional.of(RunOutcomes.observe(connection, run.id(), lookedUpTo)) : Optional.empty());
        heard.ifPresent(news -> {
            lookedUpTo = news.last();
            outcomes = outcomes.plus(news.change());
            asked = asked.plus(news.asked());
            recent.add(news.change());
        });
        return heard.isPresent();
    }

    /** A person may have set another rate. */
    private RunTerms termsNow() {
        return queue.database().withConnection(connection -> RunRows.find(connection, run.id())).map(DlqRun::terms).orElse(run.terms());
    }

    private RunStep move(int most) {
        List<RunItems.Item> items = take(most);
        if (items.isEmpty()) {
            return awaitTheLast();
        }
        boolean isOurs = true;
        for (Optional<RunBatches.Batch> batch : batches.move(items, standings.of(MoneyStatus.FOREIGN).count() > 0)) {
            batch.ifPresent(this::add);
            isOurs &= batch.isPresent();
            // Poison, and what another run moved first, is no work for the pipeline: it costs nothing of the rate.
            throttle.moved(batch.map(RunBatches.Batch::moves).orElse(0L));
        }
        return isOurs ? new RunStep.Moved(items.size()) : new RunStep.Lost();
    }

    /** Fewer only if no more are left. */
    private List<RunItems.Item> take(int most) {
        var items = new ArrayList<RunItems.Item>();
        while (items.size() < most && next <= RunItems.last(run)) {
            int to = next + most - items.size() - 1;
            items.addAll(queue.database().withConnection(connection -> RunItems.unmoved(connection, run.id(), next, to)));
            next = to + 1;
        }
        return items;
    }

    private void add(RunBatches.Batch moved) {
        moved.items().forEach(item -> results.add(moved.result(item), Sum.of(item.target().money())));
        outcomes = outcomes.plus(onTheWay(moved, MoveResult.REENTERED));
        asked = asked.plus(onTheWay(moved, MoveResult.ASKED));
    }

    private static Outcomes onTheWay(RunBatches.Batch moved, MoveResult result) {
        return Outcomes.ofRow(null, moved.items().stream().filter(item -> moved.result(item) == result)
                .map(item -> Sum.of(item.target().money())).reduce(Sum.NOTHING, Sum::plus));
    }

    /** Everything was sent. It is finished when the last have ended, or the patience has. */
    private RunStep awaitTheLast() {
        Instant now = clock.instant();
        Instant sentAt = allSentAt.orElse(now);
        allSentAt = Optional.of(sentAt);
        phase = RunProgress.Phase.LAST_ARE_AWAITED;
        if (!look()) {
            return new RunStep.Lost();
        }
        Outcomes judged = count(run.judgedAfter());
        if (judged.areWorseThan(run.terms().abortAbovePercent())) {
            return abort(judged, run.counted("%,d".formatted(judged.entered().count())));
        }
        boolean mayWait = outcomes.open().count() + asked.open().count() > 0
                && now.isBefore(sentAt.plus(patience.orElse(Duration.ZERO)));
        return mayWait ? new RunStep.Waits(AWAIT_OUTCOMES) : finish();
    }

    private RunStep finish() {
        boolean isOurs = queue.change(connection -> RunRows.isStillLedBy(connection, run.id(), token)
                && RunRows.end(connection, run.id(), RunState.FINISHED, Optional.empty()));
        return isOurs ? new RunStep.Finished() : new RunStep.Lost();
    }

    private RunStep abort(Outcomes judged, String all) {
        return abort(judged.verdict(all), judged.failures());
    }

    private RunStep abort(String verdict, Sum failed) {
        boolean isOurs = queue.change(connection -> {
            boolean ends = RunRows.isStillLedBy(connection, run.id(), token)
                    && RunRows.end(connection, run.id(), RunState.ABORTED, Optional.of(verdict));
            if (ends) {
                RunAudit.aborted(connection, by, verdict, failed);
            }
            return ends;
        });
        return isOurs ? new RunStep.Aborted(verdict) : new RunStep.Lost();
    }

    private Outcomes count(int after) {
        return queue.database().withConnection(connection -> RunOutcomes.count(connection, run.id(), after));
    }

    /** So that the next one need not wait until our silence proves that we are gone. */
    private void letGo() {
        try {
            queue.change(connection -> {
                RunRows.letGo(connection, run.id(), token);
                return null;
            });
        } catch (DatabaseUnavailable | DatabaseRefused itWillBeSilent) {
            // The error that ended the run is reported; the run can be resumed once our silence has lasted long enough.
        }
    }
}
