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
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                CommandProcess.class.getName(), rows.url()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).redirectError(Redirect.INHERIT).start();
    }

    /** The database's URL, and then what a person types. */
    public static void main(String[] given) {
        String[] arguments = Arrays.copyOfRange(given, 1, given.length);
        var dlq = new DlqCommand(() -> new DeadLetterQueue(Database.openForCommand(given[0], "postgres", ""), QueueRows.TOPICS), Called::noKafka);
        System.exit(dlq.commandLine(arguments).execute(arguments));
    }
}
