// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.runtime.SettingsProblems;
import io.chargeonce.terminal.Screen;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** Says in one line a problem what a command could not do. The stack trace goes to the log file. */
final class OneLineErrors implements CommandLine.IExecutionExceptionHandler {

    private static final int WRONG_SETTINGS = 2;
    private static final int UNREACHABLE = 3;

    private final List<CommandProvider> providers;

    OneLineErrors(List<CommandProvider> providers) {
        this.providers = providers;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, CommandLine.ParseResult arguments) {
        LoggerFactory.getLogger(OneLineErrors.class).debug("{} failed", command.getCommandName(), e);
        if (e instanceof SettingsProblems problems) {
            problems.problems().stream().flatMap(String::lines).forEach(problem -> print(command, problem.strip()));
            return WRONG_SETTINGS;
        }
        print(command, e.getMessage() == null ? e.toString() : e.getMessage().lines().findFirst().orElse(""));
        return isOutage(e) ? UNREACHABLE : WRONG_SETTINGS;
    }

    private boolean isOutage(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatabaseUnavailable || cause instanceof KafkaException || cause instanceof ConnectException
                    || cause instanceof SocketTimeoutException || cause instanceof UnknownHostException
                    || cause instanceof SQLException sql && Database.isOutage(sql) || isTheirOutage(cause)) {
                return true;
            }
        }
        return false;
    }

    private boolean isTheirOutage(Throwable cause) {
        return providers.stream().anyMatch(provider -> provider.isOutage(cause));
    }

    private static void print(CommandLine command, String problem) {
        Screen.tell(command.getCommandSpec(), problem);
    }
}
