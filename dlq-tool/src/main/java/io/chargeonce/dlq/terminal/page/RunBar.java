// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.merge.Outcomes;
import io.chargeonce.dlq.merge.RunProgress;
import io.chargeonce.dlq.terminal.screen.Words;
import io.chargeonce.terminal.Screen;
import java.time.Duration;
import java.util.Optional;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Model.CommandSpec;

/** A run's progress for people at a terminal: how far it is, and what became of what it moved. Nothing for scripts, which do not wait. */
public sealed interface RunBar extends AutoCloseable {

    void show(RunProgress progress);

    /** How long the last outcomes are worth waiting for. */
    Duration patience();

    @Override
    void close();

    static RunBar on(CommandSpec command, boolean json) {
        return json || !Screen.isTerminal() ? new Silent() : new Drawn(Screen.of(command).width());
    }

    record Silent() implements RunBar {

        @Override
        public void show(RunProgress progress) {}

        @Override
        public Duration patience() {
            return Duration.ZERO;
        }

        @Override
        public void close() {}
    }

    /** The bar is drawn by a thread of the library's; the run's thread updates it, and it is not there before something has moved. */
    final class Drawn implements RunBar {

        private static final int REFRESH_MILLIS = 200;
        private static final Duration PATIENCE = Duration.ofSeconds(10);

        private final int width;
        private Optional<ProgressBar> drawn = Optional.empty();

        Drawn(int width) {
            this.width = width;
        }

        private ProgressBar begin() {
            return new ProgressBarBuilder().setTaskName("merge").setInitialMax(1).setUpdateIntervalMillis(REFRESH_MILLIS).continuousUpdate()
                    .setStyle(ProgressBarStyle.ASCII).hideEta().setMaxRenderedLength(width - 1)
                    .setConsumer(new ConsoleProgressBarConsumer(System.err, width - 1)).build();
        }

        @Override
        public void show(RunProgress progress) {
            ProgressBar bar = drawn.orElseGet(this::begin);
            drawn = Optional.of(bar);
            bar.maxHint(progress.run().items());
            bar.stepTo(progress.results().total().count());
            bar.setExtraMessage(inWords(progress));
        }

        @Override
        public Duration patience() {
            return PATIENCE;
        }

        /** The library draws the bar once more whenever it is closed. */
        @Override
        public void close() {
            drawn.ifPresent(ProgressBar::close);
            drawn = Optional.empty();
        }
    }

    /** Short, for it shares a line of 80 columns with the bar. */
    static String inWords(RunProgress progress) {
        Outcomes outcomes = progress.outcomes();
        String sofar = "%s ok, %s failed, %s open".formatted(Words.brief(outcomes.succeeded() + outcomes.declined()),
                Words.brief(outcomes.failedAgain() + outcomes.unresolved()), Words.brief(outcomes.open()));
        return switch (progress.phase()) {
            case CANARY, CANARY_IS_AWAITED -> "canary: " + sofar;
            case RAMP -> sofar + (progress.pace().perSecond().isPresent() ? ", " + progress.pace().perSecond().getAsInt() + "/s" : "");
        };
    }
}
