package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.Agreement;
import io.chargeonce.dlq.DeadLetterQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "verify", usageHelpAutoWidth = true,
        description = {"Checks that the queue and the payments agree, and that Kafka refuses nothing of the queue. Exit 1 if not.",
                       "Looks at every payment, so it takes its time."},
        footer = {"", "Example:", "  chargeonce dlq verify"})
final class VerifyCommand implements Callable<Integer> {

    private static final int MOST = 100;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        return dlq.with(spec, this::verify);
    }

    private int verify(DeadLetterQueue queue) {
        List<Agreement.Difference> differences = Agreement.differences(queue, MOST);
        Screen screen = Screen.of(spec);
        for (Agreement.Difference difference : differences) {
            if (common.json) {
                Json.print(screen, Map.of("dead_letter_id", difference.id(), "difference", difference.what()));
            } else {
                screen.print("%s  %s", Printable.of(difference.id()), Printable.of(difference.what()));
            }
        }
        if (common.json) {
            Json.print(screen, Map.of("agree", differences.isEmpty()));
        } else {
            screen.say(differences.isEmpty() ? "The queue and the payments agree." : differences.size() < MOST
                    ? "%d differences: chargeonce dlq why ID tells how each came about.".formatted(differences.size())
                    : "More than %d differences.".formatted(MOST - 1));
        }
        return differences.isEmpty() ? 0 : 1;
    }
}
