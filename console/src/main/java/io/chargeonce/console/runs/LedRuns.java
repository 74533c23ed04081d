// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.runs;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.session.Session;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.cap.ConnectionCap;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunLeader;
import io.chargeonce.dlq.run.RunProgress;
import io.chargeonce.dlq.run.RunStep;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.runtime.SteadyClock;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that this process leads, each in a thread and with a database pool of its own, as the person who started it. A sign-out or the
 * end of a session stops none of them: a run ends by itself, or when a person stops or cancels it, or with this process, between two
 * batches. Any thread.
 */
public final class LedRuns implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LedRuns.class);
    private static final int MOST = 10;
    private static final int MOST_TROUBLES = 100;
    private static final Duration TO_STOP = Duration.ofSeconds(15);

    private static final class Led {
        private final Brake brake = new Brake();
        private volatile Optional<RunProgress> progress = Optional.empty();
        private volatile Thread thread;
    }

    private final Map<String, Led> led = new ConcurrentHashMap<>();
    private final Map<String, String> troubles = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MOST_TROUBLES;
        }
    });
    private volatile boolean closing;

    /**
     * Begins a run, or goes on with it, and returns once this process leads it.
     *
     * @throws io.chargeonce.console.answer.Refusal if it has ended, or another process leads it
     * @throws DatabaseRefused if this person may not
     */
    public void lead(Session session, AuditContext by, DlqRun run) {
        if (closing || led.size() >= MOST) {
            throw ConsoleProblems.notNow("This console leads as many runs as it may.", "Wait for one to end, or use the command line.")
                    .refusal();
        }
        var mine = new Led();
        if (led.putIfAbsent(run.id(), mine) != null) {
            throw ConsoleProblems.notNow("This console leads the run already.", "Watch it, or stop it first.").refusal();
        }
        Optional<DeadLetterQueue> opened = Optional.empty();
        boolean begun = false;
        try {
            DeadLetterQueue queue = session.openForRun();
            opened = Optional.of(queue);
            RunLeader leader = take(queue, by, run, mine);
            mine.thread = Thread.ofVirtual().name("run-" + run.id()).unstarted(() -> run(queue, run, mine, leader));
            troubles.remove(run.id());
            mine.thread.start();
            begun = true;
        } finally {
            if (!begun) {
                led.remove(run.id(), mine);
                opened.ifPresent(queue -> queue.database().close());
            }
        }
    }

    private static RunLeader take(DeadLetterQueue queue, AuditContext by, DlqRun run, Led mine) {
        return new DlqRuns(queue).take(by, new SteadyClock(), progress -> mine.progress = Optional.of(progress))
                .orElseThrow(() -> ConsoleProblems.notNow("%s has ended, or another process leads it.".formatted(run.id()),
                        "Look at it again; if its leader was killed, it can be resumed once that has been silent for %d s."
                                .formatted(DlqRun.LONGEST_SILENCE.toSeconds()))
                        .refusal());
    }

    private void run(DeadLetterQueue queue, DlqRun run, Led mine, RunLeader leader) {
        try {
            RunStep end = leader.run(mine.brake);
            if (end instanceof RunStep.Unapproved) {
                troubles.put(run.id(), "the rest is more than one person may do alone; another person has to approve it");
            }
        } catch (DatabaseUnavailable e) {
            stopped(run,
                    ConnectionCap.isReached(e) ? "all connections of the console to Postgres were in use" : "Postgres could not be reached",
                    e);
        } catch (DatabaseRefused e) {
            stopped(run, "Postgres refused a batch: " + io.chargeonce.console.answer.Errors.said(e), e);
        } catch (RuntimeException e) {
            LOG.error("Bug! {} stopped between two batches", run.id(), e);
            troubles.put(run.id(), "a bug stopped it; the console's log says which");
        } finally {
            led.remove(run.id(), mine);
            queue.database().close();
        }
    }

    private void stopped(DlqRun run, String why, RuntimeException e) {
        LOG.warn("{} stopped between two batches, nothing is left half done: {}", run.id(), e.getMessage());
        troubles.put(run.id(), why);
    }

    /** Has it stop sooner than at the next look at the database. */
    public void brake(String run) {
        Optional.ofNullable(led.get(run)).ifPresent(mine -> mine.brake.press());
    }

    /** How far a run is that this process leads. */
    public Optional<RunProgress> progress(String run) {
        return Optional.ofNullable(led.get(run)).flatMap(mine -> mine.progress);
    }

    /** Why a run that this process led has stopped, unless a person or the run itself stopped it. */
    public Optional<String> trouble(String run) {
        return Optional.ofNullable(troubles.get(run));
    }

    /** Stops all of them between two batches. They can be resumed at once, by another console or the command line. */
    @Override
    public void close() {
        closing = true;
        led.values().forEach(mine -> mine.brake.press());
        long until = System.nanoTime() + TO_STOP.toNanos();
        for (Led mine : led.values()) {
            Thread thread = mine.thread;
            if (thread != null) {
                try {
                    thread.join(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
