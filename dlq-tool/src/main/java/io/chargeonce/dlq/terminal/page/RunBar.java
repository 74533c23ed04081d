// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.run.Outcomes;
import io.chargeonce.dlq.run.RunProgress;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.terminal.Cells;
import io.chargeonce.terminal.Screen;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Model.CommandSpec;

/** A run's progress for people at a terminal: how far it is, and what became of what it moved. Nothing for scripts, which do not wait. */
public sealed interface RunBar extends AutoCloseable {

    void show(RunProgress progress);

    @Override
    void close();

    static RunBar on(CommandSpec command, boolean json) {
        return json || !Screen.isTerminal() ? new Silent() : new Drawn(command.commandLine().getErr(), Screen.of(command).width());
    }

    record Silent() implements RunBar {

        @Override
        public void show(RunProgress progress) {}

        @Override
        public void close() {}
    }

    /** A line that the run's thread writes again and again. It is not there before something has moved. */
    final class Drawn implements RunBar {

        private static final int SHORTEST = 5;

        private final PrintWriter err;
        private final int width;
        private final SteadyClock clock = new SteadyClock();
        private final Instant begin = clock.instant();
        private boolean open;

        Drawn(PrintWriter err, int width) {
            this.err = err;
            this.width = width;
        }

        @Override
        public void show(RunProgress progress) {
            open = true;
            err.print("\r" + line(progress, Duration.between(begin, clock.instant()), width - 1) + "\u001b[K");
            err.flush();
        }

        static String line(RunProgress progress, Duration sofar, int width) {
            long all = Math.max(1, progress.run().items());
            long done = Math.min(all, progress.results().total().count());
            String before = "%s %3d%% [".formatted(progress.run().kind().command(), 100 * done / all);
            String after = "] %d/%d (%d:%02d:%02d) ".formatted(done, all, sofar.toHours(), sofar.toMinutesPart(), sofar.toSecondsPart());
            String words = inWords(progress, width - before.length() - SHORTEST - after.length());
            int cells = Math.max(SHORTEST, width - before.length() - after.length() - words.length());
            int full = (int) (cells * done / all);
            return Cells.cut(before + "=".repeat(full) + " ".repeat(cells - full) + after + words, width);
        }

        @Override
        public void close() {
            if (open) {
                err.println();
                err.flush();
            }
            open = false;
        }
    }

    /** Short, for it shares a line of 80 columns with the bar. Money that has no room is left out, and none is cut. */
    static String inWords(RunProgress progress, int room) {
        Outcomes outcomes = progress.outcomes();
        String ended = !progress.run().kind().isWatched()
                ? "%s %s".formatted(Words.brief(MoveResult.moved(progress.results())), progress.run().kind().done())
                : "%s ok, %s failed, %s open".formatted(Words.brief(outcomes.succeeded().count() + outcomes.declined().count()),
                        Words.brief(outcomes.bad()), Words.brief(outcomes.open().count() + progress.asked().open().count()));
        String sofar = switch (progress.phase()) {
            case CANARY, CANARY_IS_AWAITED -> "canary: " + ended;
            case RAMP -> ended + (progress.pace().perSecond().isPresent() ? ", " + progress.pace().perSecond().getAsInt() + "/s" : "");
            case LAST_ARE_AWAITED -> ended;
        };
        Sum done = progress.results().total();
        String withMoney = sofar + ", " + String.join(", ", done.moneyLines());
        return done.money().isEmpty() || withMoney.length() > room ? sofar : withMoney;
    }
}
