// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;

/** Completes the help of a command and its subcommands: headings as in a manual page, and the exit codes that all share. */
final class Manual {

    private static final Map<String, String> EXIT_CODES = Map.of(
            "0", "fine",
            "2", "called wrongly, wrong settings, or a role that may not; nothing was changed",
            "3", "Postgres or Kafka can't be reached");

    private Manual() {}

    static void complete(CommandLine command) {
        var usage = command.getCommandSpec().usageMessage();
        var codes = new TreeMap<String, String>(Comparator.comparing(Integer::valueOf));
        codes.putAll(EXIT_CODES);
        codes.putAll(usage.exitCodeList());
        usage.abbreviateSynopsis(true).synopsisHeading("SYNOPSIS%n  ").descriptionHeading("%nDESCRIPTION%n")
                .parameterListHeading("%nARGUMENTS%n").optionListHeading("%nOPTIONS%n").commandListHeading("%nCOMMANDS%n")
                .exitCodeListHeading("%nEXIT CODES%n").exitCodeList(codes).footerHeading("%nEXAMPLES%n");
        command.getSubcommands().values().forEach(Manual::complete);
    }
}
