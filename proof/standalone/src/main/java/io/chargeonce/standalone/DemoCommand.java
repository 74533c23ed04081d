// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.app.Launcher;
import io.chargeonce.terminal.Screen;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "demo", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Shows the whole pipeline at work on this machine: payments, failures, an outage, poison, the dead-letter queue, and "
                + "the check that no payment was lost or charged twice.",
        footer = {"", "Example: other payments, and only the verdict.", "  chargeonce demo --seed 7 --json"})
final class DemoCommand implements Callable<Integer> {

    private static final int FEWEST = 20;
    private static final int MOST = 100_000;

    @Spec
    CommandSpec spec;

    @Option(names = "--payments", defaultValue = "240", paramLabel = "N", description = "How many payments. Default: ${DEFAULT-VALUE}.")
    int payments;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "S",
            description = "The same seed sends the same payments. Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--json", description = "Print only the checker's verdict, as one line of JSON.")
    boolean json;

    /** 0 if the books balance, else 1. */
    @Override
    public Integer call() {
        if (payments < FEWEST || payments > MOST) {
            throw new ParameterException(spec.commandLine(),
                    "--payments is %d, but must be from %d to %d".formatted(payments, FEWEST, MOST));
        }
        DataDirectory.problem(Optional.empty()).ifPresent(problem -> {
            throw new ParameterException(spec.commandLine(), problem);
        });
        var out = spec.commandLine().getOut();
        var story = new PrintWriter(json ? Writer.nullWriter() : out, true);
        boolean live = !json && Screen.isTerminal() && System.getenv("TERM") != null;
        try (var demo = new Demo(DemoPlan.of(payments, seed), story, live)) {
            var verdict = demo.run();
            if (json) {
                out.println(verdict.json());
            } else if (verdict.balanced()) {
                out.println("""

                        Next: the same pipeline, left running for you. It prints what to type.

                           $ %s up --data ./data

                        docs/first-hour.md, in the sources, goes on from there.""".formatted(Launcher.command()));
            }
            out.flush();
            return verdict.balanced() ? 0 : 1;
        }
    }
}
