// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.terminal;

import io.chargeonce.text.Printable;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;

/**
 * Where results are printed.
 *
 * @param width   columns to fit tables into; {@link #ENDLESS} when no window shows the output
 * @param colours whether it understands them
 */
public record Screen(PrintWriter out, int width, boolean colours) {

    public static final int ENDLESS = Integer.MAX_VALUE;
    private static final int NARROWEST = 60;

    public static Screen of(CommandLine.Model.CommandSpec command) {
        PrintWriter out = command.commandLine().getOut();
        int width = isTerminal() ? Math.max(NARROWEST, command.usageMessage().width())
                : throughPipe(isFile(), Optional.ofNullable(System.getenv("COLUMNS")));
        return new Screen(out, width, command.commandLine().getColorScheme().ansi().enabled());
    }

    /** A pager behind a pipe shows what is printed in a window too, of which the entry script tells the width. A file has none. */
    static int throughPipe(boolean file, Optional<String> columns) {
        return columns.filter(width -> !file && width.matches("[1-9]\\d{0,3}")).map(width -> Math.max(NARROWEST, Integer.parseInt(width)))
                .orElse(ENDLESS);
    }

    private static boolean isFile() {
        return Files.isRegularFile(Path.of("/dev/stdout"));
    }

    /** For a caller that is no command: prints without colours. */
    public static Screen plain(PrintWriter out, int width) {
        return new Screen(out, width, false);
    }

    /** The output cannot be written: its reader is gone, or the disk is full. The command ends, for it only prints. */
    public static final class Gone extends RuntimeException {

        private static final long serialVersionUID = 1;

        Gone() {
            super("the output cannot be written");
        }
    }

    public void print(String format, Object... arguments) {
        out.printf(format + "%n", arguments);
        // A writer over standard output does not learn what went wrong below it.
        if (out.checkError() || System.out.checkError()) {
            throw new Gone();
        }
    }

    /** Tells on standard error what went wrong with a command, or what has to be known: a sentence, broken between words. */
    public static void tell(CommandLine.Model.CommandSpec command, String sentence) {
        PrintWriter err = command.commandLine().getErr();
        of(command).wrapped("", command.qualifiedName(" ") + ": " + sentence).forEach(err::println);
        err.flush();
    }

    /** A sentence, broken between words where the screen ends. */
    public void say(String sentence) {
        wrapped("", sentence).forEach(line -> print("%s", line));
    }

    /** The same as lines, each with an indent. */
    public List<String> wrapped(String indent, String sentence) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (String word : Printable.of(sentence).split(" ")) {
            if (!line.isEmpty() && Cells.of(line.toString()) + 1 + Cells.of(word) > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? indent : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /** A faint label, and what it says beside it, line below line. */
    public void labelled(String label, String text) {
        List<String> lines = wrapped(" ".repeat(label.length()), text);
        print("%s%s", faint(label), lines.getFirst().stripLeading());
        lines.stream().skip(1).forEach(line -> print("%s", line));
    }

    public String bold(String text) {
        return colours ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    public String faint(String text) {
        return colours ? "\u001b[2m" + text + "\u001b[0m" : text;
    }

    /** From Java 22 there may be a console without a terminal, and only then a method to ask it. */
    @SuppressWarnings("SystemConsoleNull") // Before Java 22 it is null.
    public static boolean isTerminal() {
        if (System.console() == null) {
            return false;
        }
        try {
            return (boolean) java.io.Console.class.getMethod("isTerminal").invoke(System.console());
        } catch (ReflectiveOperationException olderJava) {
            return true;
        }
    }
}
