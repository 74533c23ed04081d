package io.chargeonce.dlq.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.QueueRows;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
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

    static List<String> line(QueueRows rows, String... arguments) {
        var line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                CommandProcess.class.getName(), rows.url()));
        line.addAll(List.of(arguments));
        return line;
    }

    /** The database's URL, and then what a person types. */
    public static void main(String[] given) {
        String[] arguments = Arrays.copyOfRange(given, 1, given.length);
        var dlq = new DlqCommand(() -> new DeadLetterQueue(Database.openForCommand(given[0], "postgres", ""), QueueRows.TOPICS), Called::noKafka);
        System.exit(dlq.commandLine(arguments).execute(arguments));
    }
}
