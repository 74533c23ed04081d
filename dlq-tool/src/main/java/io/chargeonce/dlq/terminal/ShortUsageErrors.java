// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.input.InputProblems;
import picocli.CommandLine;

/** Prints what picocli did not understand, without the whole help. */
public final class ShortUsageErrors implements CommandLine.IParameterExceptionHandler {

    @Override
    public int handleParseException(CommandLine.ParameterException e, String[] args) {
        var problems = new InputProblems();
        problems.add(e.getMessage());
        return problems.print(e.getCommandLine().getCommandSpec());
    }
}
