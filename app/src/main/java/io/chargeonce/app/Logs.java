// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.runtime.LogFormat;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.SettingsProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A service logs to its output, where its platform collects it. Other commands log to a file. */
public final class Logs {

    /** Commands that are services, and the name of each service in logs, metrics and traces. */
    private static final Map<String, String> SERVICES = Map.of("ingest", "ingest-service", "charge", "charge-consumer", "retry",
            "retry-consumers", "console", "console", "webhook-sender", "webhook-sender", "receipt-sender", "receipt-sender",
            "bank-files", "bank-files");

    private Logs() {}

    /** Before the first logger is made. */
    static void choose(String[] arguments) {
        boolean service = arguments.length > 0 && SERVICES.containsKey(arguments[0]);
        if (service) {
            System.setProperty("chargeonce.service", SERVICES.get(arguments[0]));
        }
        System.setProperty("chargeonce.log", System.getProperty("chargeonce.log", ".chargeonce/chargeonce.log"));
        System.setProperty("logback.configurationFile", service ? "logback-service-%s.xml".formatted(format())
                : canBeWritten(Path.of(file())) ? "logback-file.xml" : "logback-none.xml");
    }

    /** Without a log a command still does its work. */
    private static boolean canBeWritten(Path log) {
        Path folder = log.toAbsolutePath().getParent();
        try {
            return Files.isWritable(Files.createDirectories(folder));
        } catch (IOException e) {
            return false;
        }
    }

    /** The service itself reports a wrong one, with all other problems of its settings. */
    private static LogFormat format() {
        try {
            return Environment.read(List.of(PipelineSettings.LOG_FORMAT), settings -> settings.get(PipelineSettings.LOG_FORMAT));
        } catch (SettingsProblems reportedLater) {
            return LogFormat.TEXT;
        }
    }

    private static String file() {
        return System.getProperty("chargeonce.log");
    }

    /** Where a command logs to, for the person who called it. */
    public static String shown() {
        return canBeWritten(Path.of(file())) ? file() : "none, because this folder cannot be written to";
    }
}
