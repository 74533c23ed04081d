package io.chargeonce.standalone;

import java.util.List;

/** A service logs to its output, where its platform collects it; a command that tells a story logs to a file. */
final class Logs {

    private static final List<String> SERVICES = List.of("ingest", "charge", "retry", "console");

    private Logs() {}

    /** Before the first logger is made. */
    static void choose(String[] arguments) {
        boolean service = arguments.length > 0 && SERVICES.contains(arguments[0]);
        System.setProperty("logback.configurationFile", service ? "logback-service.xml" : "logback-file.xml");
        System.setProperty("chargeonce.log", System.getProperty("chargeonce.log", ".chargeonce/chargeonce.log"));
    }

    static String file() {
        return System.getProperty("chargeonce.log");
    }
}
