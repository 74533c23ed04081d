// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.option.HttpAddress;
import io.chargeonce.load.option.Range;
import io.chargeonce.load.attack.Attack.Kind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "attack", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Attacks a running pipeline on this machine and says which attacks failed. Leaves some dozens of payments of EUR "
                + "12.99 behind.",
        footer = {"", "Exit code: 0 if all held, 1 if something fell, 2 if nothing could be tried.", "",
            "Example: beside 'chargeonce up'.", "  chargeonce load attack",
            "Example: with stolen logins, beside services that have them ('migrate --roles'; 'up' has none).",
            "  chargeonce load attack --database jdbc:postgresql://127.0.0.1:5432/chargeonce --login chargeonce_ingest=ingest.password"})
public final class AttackCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--url", defaultValue = "http://127.0.0.1:8080", paramLabel = "URL", converter = HttpAddress.class,
            description = "Where payments are sent. Default: ${DEFAULT-VALUE}.")
    URI ingest;

    @Option(names = "--token", defaultValue = "test_acme", paramLabel = "TOKEN",
            description = "A merchant's token. Default: that of 'chargeonce up'.")
    String token;

    @Option(names = "--other-token", defaultValue = "test_globex", paramLabel = "TOKEN",
            description = "Another merchant's. Default: that of 'chargeonce up'.")
    String other;

    @Option(names = "--webhooks", paramLabel = "URL", converter = HttpAddress.class, description = "Where PSPs send webhooks.")
    Optional<URI> webhooks = Optional.empty();

    @Option(names = "--stripe-webhook-secret-file", paramLabel = "FILE", description = "Stripe's signing secret, to try replays.")
    Optional<Path> webhookSecret = Optional.empty();

    @Option(names = "--admin", paramLabel = "URL", converter = HttpAddress.class, description = "Where health and metrics are served.")
    Optional<URI> admin = Optional.empty();

    @Option(names = "--admin-token-file", paramLabel = "FILE", description = "The admin token, if the service has one.")
    Optional<Path> adminToken = Optional.empty();

    @Option(names = "--database", paramLabel = "JDBC_URL", description = "Postgres, for thefts with the logins.")
    Optional<String> database = Optional.empty();

    @Option(names = "--login", paramLabel = "ROLE=FILE",
            description = "A role that was stolen, and the file of its password; repeatable. An empty file name is an empty password.")
    Map<String, String> logins = new LinkedHashMap<>();

    @Option(names = "--log", paramLabel = "FILE",
            description = "A service's log file, to search for lines that a client has written; repeatable.")
    List<Path> logs = List.of();

    @Option(names = "--patience", defaultValue = "30", paramLabel = "SECONDS",
            description = "The longest that a server may wait for a slow client. Default: ${DEFAULT-VALUE}.")
    int patience;

    @Option(names = "--crowd", defaultValue = "4500", paramLabel = "N",
            description = "Connections of an attack that holds many, from 1 to 20000. Default: ${DEFAULT-VALUE}.")
    int crowd;

    @Option(names = "--quick", description = "Leaves out the attacks that take long: slow clients, and large crowds.")
    boolean quick;

    @Option(names = "--json", description = "Print the results as one line of JSON.")
    boolean json;

    private static final int SMALL_CROWD = 150;

    /** 0 if all held, else 1; 2 if nothing could be tried. */
    @Override
    public Integer call() {
        new Range(1, 20_000).require(spec, "--crowd", crowd);
        new Range(1, 600).require(spec, "--patience", patience);
        logs.stream().filter(file -> !Files.isReadable(file)).findFirst().ifPresent(file -> {
            throw new CommandLine.ParameterException(spec.commandLine(), "--log: there is no file %s that can be read".formatted(file));
        });
        AttackTarget target = target();
        List<Attack> attacks = Attack.all().stream().filter(attack -> !quick || attack.kind() != Kind.SLOW).toList();
        var out = spec.commandLine().getOut();
        AttackReport report;
        try {
            report = new AttackReport(new Storm(target).run(attacks));
        } catch (IOException e) {
            spec.commandLine().getErr().printf(
                    "attack: nothing was tried: %s. Start the pipeline (chargeonce up), or say with --url, --token and --other-token "
                            + "where two merchants can pay.%n",
                    e.getMessage());
            return 2;
        }
        out.println(json ? report.json() : report.table());
        out.flush();
        return report.fell().isEmpty() ? 0 : 1;
    }

    private AttackTarget target() {
        try {
            var passwords = new LinkedHashMap<String, String>();
            logins.forEach((role, file) -> passwords.put(role, file.isEmpty() ? "" : secret(Path.of(file))));
            return new AttackTarget(ingest, token, other, webhooks, webhookSecret.map(AttackCommand::secret), admin,
                    adminToken.map(AttackCommand::secret),
                    database, passwords, logs, Duration.ofSeconds(patience), quick ? Math.min(crowd, SMALL_CROWD) : crowd);
        } catch (IllegalArgumentException | java.io.UncheckedIOException wrong) {
            throw new CommandLine.ParameterException(spec.commandLine(), wrong.getMessage());
        }
    }

    private static String secret(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " can't be read: give a file that holds the secret", e);
        }
    }
}
