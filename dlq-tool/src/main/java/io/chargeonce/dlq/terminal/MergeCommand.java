package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterFilter;
import io.chargeonce.dlq.Pace;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "merge", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Sends dead letters back through the pipeline. Tells what it would do; with --yes, does it.",
                       "What was charged already is settled, what may have been charged is asked about first, poison stays."},
        footer = {"", "Example: the PSP is well again, so try its payments once more, ten a second",
                  "  chargeonce dlq merge --psp stripe --rate 10 --yes"})
final class MergeCommand implements Callable<Integer> {

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    SelectionOptions selection;

    @Option(names = "--rate", paramLabel = "N", description = "At most so many a second.")
    Optional<String> rate;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new Problems();
        DeadLetterFilter filter = selection.filter(problems);
        var pace = new Pace(problems.number("--rate", rate).map(OptionalInt::of).orElse(OptionalInt.empty()));
        var run = new ChangeRun(Change.MERGE, spec, filter, selection.reason, selection.yes, pace, common.json);
        return problems.any() ? problems.print(spec) : dlq.with(spec, run::on);
    }
}
