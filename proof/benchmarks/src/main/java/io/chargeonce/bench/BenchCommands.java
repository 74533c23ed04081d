// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.app.CommandProvider;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Makes {@code bench} a command of {@code ./chargeonce}. */
public final class BenchCommands implements CommandProvider {

    @Override
    public Map<String, Supplier<CommandLine>> commands() {
        return Map.of("bench", BenchCommand::line);
    }
}
