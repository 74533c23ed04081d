// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import picocli.CommandLine.Command;

@Command(name = "release", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {
            "Releases a file from the quarantine, or a line that fits nothing: it is read once more, with the same checks as at first.",
            "For what was wrong here, such as a bug that is mended. What the bank itself said wrong stays wrong: ask it to say it again "
                    + "under a new message id, and close this one.",
            "A file is read from the bytes that are kept here, at the next look of the bank-files service. What still cannot be read, or "
                    + "fits nothing, comes back to the list of 'bank unmatched'."},
        footer = {"", "Example:", "  chargeonce bank release file 12 --reason 'version 1.4 reads that form of camt.054'"})
final class Release extends UnmatchedDecision {

    @Override
    String decision() {
        return "released";
    }

    @Override
    String done() {
        return "Released %s %d: %s reads it again.".formatted(what, id, isFile() ? "bank-files" : "charge");
    }

    @Override
    String refused() {
        return "'bank unmatched' has no %s of that id%s".formatted(what, isFile() ? ", or not all of its bytes are here" : "");
    }
}
