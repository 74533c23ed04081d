package io.chargeonce.bench;

import io.chargeonce.standalone.CommandProvider;
import picocli.CommandLine;

/** Makes {@code bench} a command of {@code ./chargeonce}. */
public final class BenchCommands implements CommandProvider {

    @Override
    public CommandLine commandLine() {
        return new CommandLine(new BenchCommand());
    }
}
