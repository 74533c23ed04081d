// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.QueueRows;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command line as a process of its own, which can be killed. */
final class CommandProcess {

    private CommandProcess() {}

    static Process start(QueueRows rows, String... arguments) throws IOException {
        return new ProcessBuilder(line(rows, arguments)).redirectOutput(Redirect.DISCARD).redirectError(Redirect.INHERIT).start();
    }

    /** The same with everything that it prints in a file. */
    static Process startInto(Path file, QueueRows rows, String... arguments) throws IOException {
        return new ProcessBuilder(line(rows, arguments)).redirectErrorStream(true).redirectOutput(file.toFile()).start();
    }

    static List<String> line(QueueRows rows, String... arguments) throws IOException {
        // Who has interrupts ignored, as a shell does for what it starts in the background, hands that on.
        var line = new ArrayList<>(interruptsAreIgnored() ? List.of("env", "--default-signal=INT") : List.of());
        line.addAll(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            // As in the command's own script: libraries still use what newer JDKs warn of.
            line.add("--sun-misc-unsafe-memory-access=allow");
        }
        line.addAll(List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                CommandProcess.class.getName(), rows.url()));
        line.addAll(List.of(arguments));
        return line;
    }

    private static boolean interruptsAreIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return false;
        }
        String ignored = Files.readAllLines(status).stream().filter(line -> line.startsWith("SigIgn:")).findFirst().orElseThrow();
        return (Long.parseUnsignedLong(ignored.replaceFirst("SigIgn:\\s*", ""), 16) & 1 << 1) != 0;
    }

    /** The database's URL, and then what a person types. */
    public static void main(String[] given) {
        String[] arguments = Arrays.copyOfRange(given, 1, given.length);
        var dlq = new DlqCommand(
                () -> new DeadLetterQueue(Database.openForCommand(given[0], "postgres", ""), QueueRows.TOPICS, QueueRows.VAULT),
                Called::noKafka);
        System.exit(dlq.commandLine(arguments).execute(arguments));
    }
}
