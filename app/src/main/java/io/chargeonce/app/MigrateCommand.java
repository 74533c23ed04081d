// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.database.Roles;
import io.chargeonce.runtime.Exposure;
import io.chargeonce.runtime.PipelineSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.common.resource.PatternType;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "migrate", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Brings the Postgres schema and the Kafka topics up to date. It can be run again at any time.",
        footer = {"", "Example:", "  chargeonce migrate --partitions 24 --replicas 3"})
final class MigrateCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--partitions", defaultValue = "12", description = "Partitions of a new topic. Default: ${DEFAULT-VALUE}.")
    int partitions;

    @Option(names = "--replicas", description = "Replicas of a new topic. Default: the brokers' own.")
    Optional<Short> replicas = Optional.empty();

    @Option(names = "--roles",
            description = "Also makes one Postgres role and one Kafka principal per service, each with the least rights.")
    boolean roles;

    @Option(names = "--passwords", paramLabel = "DIR",
            description = "With --roles: a directory with a file for each Postgres role. The file has the role's name and holds its password.")
    Optional<Path> passwords = Optional.empty();

    @Option(names = "--operator", paramLabel = "NAME",
            description = "Makes a login for a person who works on the dead-letter queue. The audit "
                    + "log names it. A file NAME in --passwords holds its password; without one it signs in by certificate or single sign-on.")
    List<String> operators = List.of();

    @Option(names = "--reader", paramLabel = "NAME", description = "The same for a person who only reads the queue.")
    List<String> readers = List.of();

    @Option(names = "--unmask", paramLabel = "NAME", description = "The same for a person who may see unmasked data.")
    List<String> unmaskers = List.of();

    @Option(names = "--eraser", paramLabel = "NAME", description = "The same for a person who erases personal data.")
    List<String> erasers = List.of();

    @Option(names = "--merchant-admin", paramLabel = "NAME", description = "The same for a person who manages merchants and tokens.")
    List<String> admins = List.of();

    @Option(names = "--four-eyes-above", paramLabel = "LIMIT", split = ",",
            description = "What one person may merge, purge, restore and settle alone "
                    + "in 24 hours: a number of dead letters such as 500, or money in minor units such as EUR=1000000. Replaces all limits; off removes them.")
    List<String> fourEyes = List.of();

    @Option(names = "--check", description = "Only reports rights that differ from what migrate --roles set, and changes nothing.")
    boolean check;

    @Option(names = "--remove-person", paramLabel = "NAME", description = "Takes these rights from such a login; the login itself stays.")
    List<String> removed = List.of();

    @Override
    public Integer call() {
        PipelineSettings settings = Environment.read(PipelineSettings.ALL, all -> {
            all.allow(openPasswords());
            return PipelineSettings.from(all);
        });
        Map<String, Long> limits = limits();
        if (check) {
            return check(settings);
        }
        int migrations = Migrate.schema(settings);
        List<String> created = Migrate.topics(settings, partitions, replicas);
        spec.commandLine().getOut().printf("Schema: %s. Topics: %s.%n",
                migrations == 0 ? "up to date" : migrations + (migrations == 1 ? " migration applied" : " migrations applied"),
                created.isEmpty() ? "all there" : "created " + String.join(", ", created));
        int exit = roles && !grant(settings) ? 1 : 0;
        people(settings);
        if (!fourEyes.isEmpty()) {
            Migrate.fourEyes(settings, limits);
            spec.commandLine().getOut().printf("Four eyes: %s.%n", limits.isEmpty() ? "off" : "above " + String.join(", ", fourEyes));
        }
        return exit;
    }

    private int check(PipelineSettings settings) {
        List<String> drifted = Migrate.driftedGrants(settings);
        drifted.forEach(line -> spec.commandLine().getOut().printf("%s%n", line));
        spec.commandLine().getOut().printf(drifted.isEmpty() ? "All rights are as migrate --roles left them.%n"
                : "chargeonce migrate --roles mends this.%n");
        return drifted.isEmpty() ? 0 : 1;
    }

    /** By what is limited; '*' is the number of dead letters. */
    private Map<String, Long> limits() {
        var limits = new TreeMap<String, Long>();
        for (String limit : fourEyes.equals(List.of("off")) ? List.<String>of() : fourEyes) {
            if (!limit.matches("([A-Z]{3}=)?[0-9]{1,15}")) {
                throw new CommandLine.ParameterException(spec.commandLine(),
                        "--four-eyes-above is '%s', but must be like 500 or EUR=1000000, or off".formatted(limit));
            }
            limits.put(limit.contains("=") ? limit.substring(0, 3) : "*", Long.valueOf(limit.substring(limit.indexOf('=') + 1)));
        }
        return limits;
    }

    private List<String> openPasswords() {
        List<String> logins = Stream.of(Roles.ALL, operators, readers, unmaskers, erasers, admins).flatMap(List::stream).toList();
        return passwords.stream().flatMap(directory -> logins.stream().map(directory::resolve))
                .flatMap(file -> Exposure.openFile("--passwords", file).stream()).toList();
    }

    private void people(PipelineSettings settings) {
        PrintWriter out = spec.commandLine().getOut();
        Map.of(Roles.OPERATOR, operators, "chargeonce_dlq_reader", readers, Roles.UNMASK, unmaskers, Roles.ERASER, erasers,
                Roles.MERCHANT_ADMIN, admins)
                .forEach((role, names) -> names.forEach(name -> {
                    Migrate.person(settings, name, role, passwords);
                    out.printf("Person: %s is a member of %s.%n", name, role);
                }));
        removed.forEach(name -> {
            Migrate.removePerson(settings, name);
            out.printf("Person: %s is a member of none of these roles any more.%n", name);
        });
    }

    /** Returns false if a role has a right left that it must not have. */
    private boolean grant(PipelineSettings settings) {
        PrintWriter out = spec.commandLine().getOut();
        Roles.Applied applied = Migrate.roles(settings, passwords);
        out.printf("Roles: %s; passwords set for %s; %s.%n", String.join(", ", Roles.ALL),
                applied.withPassword().isEmpty() ? "none" : String.join(", ", applied.withPassword()),
                applied.tookBack().isEmpty() ? "nothing had to be taken back" : applied.tookBack().size() + " rights taken back");
        applied.tookBack().forEach(right -> out.printf("  took back: %s%n", right));
        applied.left().forEach(right -> out.printf("  NOT taken back: %s%n", right));
        boolean guarded = Migrate.acls(settings);
        out.printf("ACLs: %s.%n", guarded ? "created" : "none, because these brokers have no authorizer; they would be");
        if (!guarded) {
            Migrate.plannedAcls(settings).forEach(acl -> out.printf("  %s may %s %s %s%n",
                    acl.entry().principal(), acl.entry().operation(), acl.pattern().resourceType(), acl.pattern().name()
                            + (acl.pattern().patternType() == PatternType.PREFIXED ? "*" : "")));
        }
        return applied.left().isEmpty();
    }
}
