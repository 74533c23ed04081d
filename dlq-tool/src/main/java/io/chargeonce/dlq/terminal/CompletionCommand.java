// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.terminal.options.CommonOptions;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(name = "completion", usageHelpAutoWidth = true,
        description = "Prints a script that lets bash and zsh complete every command and option.",
        footer = {"  For this shell, bash or zsh:",
            "    source <(chargeonce dlq completion)"})
final class CompletionCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Mixin
    CommonOptions common;

    /** Of the whole command line that this one is a part of. */
    @Override
    public Integer call() {
        CommandLine root = spec.commandLine();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        spec.commandLine().getOut().println(AutoComplete.bash(root.getCommandName(), root));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
