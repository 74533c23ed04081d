// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.merge.Outcomes;
import io.chargeonce.dlq.merge.RunProgress;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Screen;
import java.util.Optional;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Model.CommandSpec;

/** A run's progress for people at a terminal: how far it is, and what became of what it moved. Nothing for scripts, which do not wait. */
public sealed interface RunBar extends AutoCloseable {

    void show(RunProgress progress);

    @Override
    void close();

    static RunBar on(CommandSpec command, boolean json) {
        return json || !Screen.isTerminal() ? new Silent() : new Drawn(Screen.of(command).width());
    }

    record Silent() implements RunBar {

        @Override
        public void show(RunProgress progress) {}

        @Override
        public void close() {}
    }

    /** The bar is drawn by a thread of the library's; the run's thread updates it, and it is not there before something has moved. */
    final class Drawn implements RunBar {

        private static final int REFRESH_MILLIS = 200;

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
            int bare = "merge 100% [=====] / (0:00:00) ".length() + 2 * "%d".formatted(progress.run().items()).length();
            bar.setExtraMessage(inWords(progress, width - 1 - bare));
        }

        /** The library draws the bar once more whenever it is closed. */
        @Override
        public void close() {
            drawn.ifPresent(ProgressBar::close);
            drawn = Optional.empty();
        }
    }

    /** Short, for it shares a line of 80 columns with the bar. Money that has no room is left out, and none is cut. */
    static String inWords(RunProgress progress, int room) {
        Outcomes outcomes = progress.outcomes();
        String ended = "%s ok, %s failed, %s open".formatted(Words.brief(outcomes.succeeded().count() + outcomes.declined().count()),
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
