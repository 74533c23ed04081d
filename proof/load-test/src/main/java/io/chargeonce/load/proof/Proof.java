// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proof;

import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.record.Results;
import io.chargeonce.load.record.Run;
import io.chargeonce.load.record.Runs;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * All parts of a proof on one commit, until its time is over or something is not as it must be. What is on record for the commit is not run
 * again. For one thread, and another that stops it.
 */
public final class Proof {

    private final PrintWriter out;
    private final Path root;
    private final String commit;
    private final List<Part> parts;
    private final long end;
    private final Results results;
    private final String classPath;
    private final Jars jars;
    private boolean ended;

    /** @param root a checkout, in which the results are kept and the pages are written */
    public Proof(PrintWriter out, Path root, String commit, Duration time) throws IOException {
        this(out, root, commit, time, new Parts(out).all(), System.getProperty("java.class.path"));
    }

    /** @param classPath of what the units run, also in processes of their own */
    Proof(PrintWriter out, Path root, String commit, Duration time, List<Part> parts, String classPath) throws IOException {
        this.classPath = classPath;
        this.jars = Jars.of(classPath);
        this.out = out;
        this.root = root;
        this.commit = commit;
        this.parts = parts;
        this.end = System.nanoTime() + time.toNanos();
        this.results = Results.of(root, commit);
    }

    /** Whether all that was run is as it must be, now and before, or was so when it was run once more. */
    public boolean run() throws Exception {
        out.println("Proves commit " + commit);
        boolean sound = results.all().stream().allMatch(run -> run.again().isEmpty() || run.isFirstTry());
        for (int i = 0; sound && awaitsSecondTry() && i < parts.size(); i++) {
            Optional<Callable<Run>> unit = parts.get(i).next().apply(results);
            sound = unit.isEmpty() || run(unit.get());
        }
        for (int i = 0; sound && i < parts.size(); i++) {
            Duration later = parts.stream().skip(i + 1L).map(Part::needs).reduce(Duration.ZERO, Duration::plus);
            long begin = System.nanoTime();
            sound = run(parts.get(i), begin + (long) ((end - begin - later.toNanos()) * parts.get(i).share()));
        }
        end();
        return sound;
    }

    /** Each part goes on with the unit that broke, so the second try comes before the second unit of any. */
    private boolean awaitsSecondTry() {
        return results.all().stream().anyMatch(Run::awaitsSecondTry);
    }

    private boolean run(Part part, long until) throws Exception {
        boolean sound = true;
        Optional<Callable<Run>> unit = part.next().apply(results);
        while (sound && unit.isPresent() && System.nanoTime() - until < 0) {
            sound = run(unit.get());
            unit = part.next().apply(results);
        }
        return sound;
    }

    private boolean run(Callable<Run> unit) throws Exception {
        try {
            return keep(unit.call());
        } catch (Exception e) {
            if (!saysNothing()) {
                throw e;
            }
            return false;
        }
    }

    /** What ends while the process ends has been cut off, and what other jars did is nothing about the commit. */
    private synchronized boolean saysNothing() {
        boolean replaced = !jars.equals(Jars.of(classPath));
        if (replaced) {
            out.println("THE BUILD WAS REPLACED while it was proved: what ran since the last record is not recorded. Prove in a checkout "
                    + "of its own.");
            out.flush();
        }
        return ended || replaced;
    }

    /** Whether it is recorded and as it must be. */
    private synchronized boolean keep(Run run) throws IOException {
        if (saysNothing()) {
            return false;
        }
        Optional<Run> first = results.find(run.kind(), run.asFirstTry().name());
        if (first.filter(Run::awaitsSecondTry).isPresent()) {
            record(first.get().after(run));
        }
        record(first.isEmpty() && run.again().isPresent() ? run.asFirstTry() : run);
        return run.again().isEmpty();
    }

    private void record(Run run) throws IOException {
        results.keep(run);
        out.println("recorded: " + run.line());
        out.flush();
    }

    /** From any thread, while the process ends: nothing is recorded from now on. */
    public void stop() {
        try {
            end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void end() throws IOException {
        if (ended) {
            return;
        }
        ended = true;
        Results kept = Results.of(root, commit);
        List<Run> bugs = kept.all().stream().filter(run -> run.kind().equals(Run.BUG)).toList();
        List<Run> broken = kept.all().stream().filter(run -> run.again().isPresent()).toList();
        out.printf("%nOf commit %s, in %s:%n  %d of %d planted bugs were caught, each where the same seed balances without it%n", commit,
                kept.file(), bugs.stream().filter(run -> run.again().isEmpty()).count(), Plant.values().length);
        kept.all().stream().filter(run -> !bugs.contains(run)).forEach(run -> out.println("  " + run.line()));
        broken.forEach(run -> out.printf("NOT AS IT MUST BE: %s%nAgain: %s%n", run.line(), run.again().orElseThrow()));
        out.println(broken.stream().allMatch(Run::isFirstTry)
                ? "The same command goes on from here" + (broken.stream().anyMatch(Run::awaitsSecondTry)
                        ? ", if that is as it must be when it is run once more." : ".")
                : "Nothing more is run on this commit: mend it, and prove the commit with the mending.");
        out.flush();
        Runs.in(root).write();
    }
}
