// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.dlq.terminal.ShortUsageErrors;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Tells what is wrong with how a command was called and, after a typo, the name that was probably meant. */
final class UsageErrors implements CommandLine.IParameterExceptionHandler {

    /** They bring a broker, or other libraries to compare with, and are kept apart from what production runs. */
    private static final Set<String> APART = Set.of("up", "demo", "sandbox", "load", "conformance", "bench");

    private final ShortUsageErrors errors = new ShortUsageErrors();

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        boolean typo = e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty();
        return errors.handleParseException(typo
                ? new ParameterException(e.getCommandLine(), unknown(((UnmatchedArgumentException) e).getUnmatched().getFirst(),
                        e.getCommandLine().getCommandSpec()))
                : e, arguments);
    }

    private static String unknown(String typed, CommandSpec command) {
        String name = typed.split("=", 2)[0];
        if (name.startsWith("-")) {
            return "there is no option '%s'%s".formatted(name, meant(name, command.optionsMap().keySet()));
        }
        if (command.subcommands().isEmpty()) {
            return "'%s' is one word too many".formatted(typed);
        }
        if (command.parent() == null && APART.contains(name)) {
            return "'%s' is not here, among the commands of production. It is in the sources%s".formatted(name,
                    name.equals("bench") ? "" : ", and in the archive chargeonce-sandbox");
        }
        var commands = new HashSet<>(command.subcommands().keySet());
        if (command.parent() == null) {
            commands.add(Main.HELP);
        }
        return "there is no command '%s'%s".formatted(name, meant(name, commands));
    }

    private static String meant(String typed, Collection<String> known) {
        int most = Math.max(1, typed.length() / 2 - 1);
        Optional<String> nearest = known.stream().filter(name -> edits(typed, name) <= most)
                .min(Comparator.<String>comparingInt(name -> edits(typed, name)).thenComparing(name -> name));
        return nearest.map(". Did you mean '%s'?"::formatted).orElse("");
    }

    /** How many characters must be put in, left out, replaced or swapped with their neighbour to get from one word to the other. */
    private static int edits(String from, String to) {
        int[][] edits = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                edits[i][j] = Math.max(i, j);
                if (i > 0 && j > 0) {
                    int same = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                    edits[i][j] = Math.min(edits[i - 1][j - 1] + same, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
                    if (i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1)) {
                        edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
                    }
                }
            }
        }
        return edits[from.length()][to.length()];
    }
}
