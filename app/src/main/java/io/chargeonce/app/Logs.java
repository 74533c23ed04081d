// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.runtime.LogFormat;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.SettingsProblems;
import java.util.List;

/** A service logs to its output, where its platform collects it. Other commands log to a file. */
public final class Logs {

    private static final List<String> SERVICES = List.of("ingest", "charge", "retry", "console");

    private Logs() {}

    /** Before the first logger is made. */
    static void choose(String[] arguments) {
        boolean service = arguments.length > 0 && SERVICES.contains(arguments[0]);
        System.setProperty("logback.configurationFile", service ? "logback-service-%s.xml".formatted(format()) : "logback-file.xml");
        System.setProperty("chargeonce.log", System.getProperty("chargeonce.log", ".chargeonce/chargeonce.log"));
    }

    /** The service itself reports a wrong one, with all other problems of its settings. */
    private static LogFormat format() {
        try {
            return Environment.read(List.of(PipelineSettings.LOG_FORMAT), settings -> settings.get(PipelineSettings.LOG_FORMAT));
        } catch (SettingsProblems reportedLater) {
            return LogFormat.TEXT;
        }
    }

    /** The log file of commands that are not services. */
    public static String file() {
        return System.getProperty("chargeonce.log");
    }
}
