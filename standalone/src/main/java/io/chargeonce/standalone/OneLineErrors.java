package io.chargeonce.standalone;

import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.runtime.SettingsProblems;
import io.chargeonce.runtime.StartFailed;
import org.apache.kafka.common.KafkaException;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** What a command could not do, said in a line per problem; the stack goes to the log. */
final class OneLineErrors implements CommandLine.IExecutionExceptionHandler {

    private static final int WRONG_SETTINGS = 2;
    private static final int UNREACHABLE = 3;

    @Override
    public int handleExecutionException(Exception e, CommandLine command, CommandLine.ParseResult arguments) {
        LoggerFactory.getLogger(OneLineErrors.class).error("{} failed", command.getCommandName(), e);
        if (e instanceof SettingsProblems problems) {
            problems.problems().forEach(problem -> print(command, problem));
            return WRONG_SETTINGS;
        }
        print(command, innermost(e));
        return isOutage(e) ? UNREACHABLE : WRONG_SETTINGS;
    }

    private static boolean isOutage(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatabaseUnavailable || cause instanceof KafkaException || cause instanceof FlywayException) {
                return true;
            }
        }
        return false;
    }

    /** A wrapper that adds no word of its own is passed over. */
    private static String innermost(Throwable e) {
        Throwable said = e;
        while (said.getCause() != null && said.getCause().getMessage() != null && !(said instanceof StartFailed)) {
            said = said.getCause();
        }
        return said.getMessage() == null ? said.toString() : said.getMessage().lines().findFirst().orElse("");
    }

    private static void print(CommandLine command, String problem) {
        command.getErr().println("chargeonce %s: %s".formatted(command.getCommandName(), problem));
        command.getErr().flush();
    }
}
