// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import picocli.CommandLine.Command;

@Command(name = "close", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {
            "Closes a line that fits nothing, or a file that is set aside: a person has looked at it and settled it in another way.",
            "It leaves the list of 'bank unmatched', and its alert ends. A line is never taken then; a file can still be released."},
        footer = {"", "Example:", "  chargeonce bank close file 12 --reason 'the bank has sent it again as S-778'"})
final class Close extends UnmatchedDecision {

    @Override
    String decision() {
        return "closed";
    }

    @Override
    String done() {
        return "Closed %s %d.".formatted(what, id);
    }

    @Override
    String refused() {
        return "'bank unmatched' has no %s of that id".formatted(what);
    }
}
