// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.app.CommandProvider;
import io.chargeonce.checker.evidence.EvidenceMissing;
import io.chargeonce.conformance.ConformanceCommand;
import io.chargeonce.load.LoadCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/** The commands that try and prove the pipeline. No image holds them. */
public final class LocalCommands implements CommandProvider {

    @Override
    public Map<String, Supplier<CommandLine>> commands() {
        var commands = new LinkedHashMap<String, Supplier<CommandLine>>();
        commands.put("demo", () -> new CommandLine(new DemoCommand()));
        commands.put("up", () -> new CommandLine(new UpCommand()));
        commands.put("sandbox", () -> new CommandLine(new SandboxCommand()));
        commands.put("load", () -> new CommandLine(new LoadCommand()));
        commands.put("conformance", () -> new CommandLine(new ConformanceCommand()));
        return commands;
    }

    @Override
    public boolean isOutage(Throwable error) {
        return error instanceof EvidenceMissing;
    }
}
