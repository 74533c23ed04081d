// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.database.Roles;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.runtime.Exposure;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.wire.AccessPlan;
import io.chargeonce.wire.TopicCheck;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.resource.PatternType;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "migrate", mixinStandardHelpOptions = true, usageHelpAutoWidth = true, sortOptions = false,
        description = "Brings the Postgres schema and the Kafka topics up to date. It can be run again at any time.",
        footer = {"", "Example:", "  chargeonce migrate --partitions 24 --replicas 3"})
final class MigrateCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    private static final int NEW_TOPICS_PARTITIONS = 12;
    private static final int LONGEST_RETENTION = 3650;

    @Option(names = "--partitions", paramLabel = "N",
            description = "Partitions of each topic: of a new one (otherwise 12), and of one that has fewer. "
                    + "Never of the dead letters and the seals, whose number must stay.")
    Optional<Integer> partitions = Optional.empty();

    @Option(names = "--replicas", paramLabel = "N", description = "Replicas of a new topic. Default: the brokers' own.")
    Optional<Short> replicas = Optional.empty();

    @Option(names = "--repair-topics", description = "Also sets each setting of an existing topic that can lose or refuse records.")
    boolean repairTopics;

    @Option(names = "--roles",
            description = "Also makes one Postgres role and one Kafka principal per service, each with the least rights.")
    boolean roles;

    @Option(names = "--passwords", paramLabel = "DIR",
            description = "With --roles: a directory with a file for each Postgres role. The file has the role's name and holds its "
                    + "password.")
    Optional<Path> passwords = Optional.empty();

    @Option(names = "--operator", paramLabel = "NAME",
            description = "Makes a login for a person who works on the dead-letter queue. The audit "
                    + "log names it. A file NAME in --passwords holds its password; without one it signs in by certificate or single "
                    + "sign-on.")
    List<String> operators = List.of();

    @Option(names = "--reader", paramLabel = "NAME", description = "The same for a person who only reads the queue.")
    List<String> readers = List.of();

    @Option(names = "--unmask", paramLabel = "NAME", description = "The same for a person who may see unmasked data.")
    List<String> unmaskers = List.of();

    @Option(names = "--eraser", paramLabel = "NAME", description = "The same for a person who erases personal data.")
    List<String> erasers = List.of();

    @Option(names = "--merchant-admin", paramLabel = "NAME", description = "The same for a person who manages merchants and tokens.")
    List<String> admins = List.of();

    @Option(names = "--outcomes-consumer", paramLabel = "NAME", description = "Lets the Kafka principal User:NAME read the outcomes, "
            + "with consumer groups whose names begin with NAME.")
    List<String> outcomesConsumers = List.of();

    @Option(names = "--foreign-topic", paramLabel = "NAME", description = "With --roles: a topic of another system. People may read it to "
            + "import its dead letters, and a merge may send records back to it. Name all of them each time: --roles takes back what it "
            + "does not give.")
    List<String> foreignTopics = List.of();

    @Option(names = "--four-eyes-above", paramLabel = "LIMIT", split = ",",
            description = "What one person may merge, purge, restore, stop, cancel and settle alone "
                    + "in 24 hours: a number of dead letters such as 500, or money in minor units such as EUR=1000000. Replaces all "
                    + "limits; off removes them.")
    List<String> fourEyes = List.of();

    @Option(names = "--retention", paramLabel = "DAYS",
            description = "How long a key stays in use after the last event of its payment, for all processes: 45 to 3650 days, at "
                    + "first 400. A shorter retention deletes payments: it says how many, and needs --yes.")
    Optional<Integer> retention = Optional.empty();

    @Option(names = "--yes", description = "With --retention: shortens it.")
    boolean yes;

    @Option(names = "--agree-tiers", description = "All services must have the CHARGEONCE_RETRY_TIERS of this command from now on. Restart "
            + "them. The first migrate needs no --agree-tiers.")
    boolean agreeTiers;

    @Option(names = "--agree-source", description = "All services must have the CHARGEONCE_EVENT_SOURCE of this command from now on. "
            + "Restart them. A consumer takes an event that is published again under it for another event.")
    boolean agreeSource;

    @Option(names = "--check", description = "Only reports rights that differ from what migrate --roles set, other agreed settings, "
            + "and topics that differ from the plan. Changes nothing.")
    boolean check;

    @Option(names = "--remove-person", paramLabel = "NAME", description = "Takes these rights from such a login; the login itself stays.")
    List<String> removed = List.of();

    @Override
    public Integer call() {
        PipelineSettings settings = Environment.read(PipelineSettings.ALL, all -> {
            all.allow(openPasswords());
            return PipelineSettings.from(all);
        });
        passwords.filter(directory -> !Files.isDirectory(directory)).ifPresent(directory -> {
            throw new CommandLine.ParameterException(spec.commandLine(),
                    "--passwords is %s, where there is no directory".formatted(directory));
        });
        Map<String, Long> limits = limits();
        outcomesConsumers.stream().filter(name -> !name.matches("[A-Za-z0-9._=,-]{1,200}") || name.startsWith("chargeonce-")).findFirst()
                .ifPresent(name -> {
                    throw new CommandLine.ParameterException(spec.commandLine(),
                            ("--outcomes-consumer is '%s', but must be a principal's name "
                                    + "without 'User:', and not one of the pipeline's own, which begin with chargeonce-").formatted(name));
                });
        foreignTopics.stream().filter(name -> !roles || !Topics.mayBeAnothers(name)).findFirst().ifPresent(name -> {
            throw new CommandLine.ParameterException(spec.commandLine(), ("--foreign-topic is '%s', but goes with --roles, and "
                    + "is no topic of Kafka itself and none that a pipeline could have").formatted(name));
        });
        refuseRetention();
        if (check) {
            return check(settings);
        }
        int migrations = Migrate.schema(settings);
        List<String> created = Migrate.topics(settings, partitions.orElse(NEW_TOPICS_PARTITIONS), replicas);
        spec.commandLine().getOut().printf("Schema: %s. Topics: %s.%n",
                migrations == 0 ? "up to date" : migrations + (migrations == 1 ? " migration applied" : " migrations applied"),
                created.isEmpty() ? "all there" : "created " + String.join(", ", created));
        boolean planned = checkTopics(settings);
        boolean granted = !roles || grant(settings);
        people(settings);
        outcomesConsumers.forEach(name -> {
            Migrate.outcomesConsumer(settings, name);
            spec.commandLine().getOut().printf("Kafka: User:%s may read the outcomes.%n", name);
        });
        if (!fourEyes.isEmpty()) {
            Migrate.fourEyes(settings, limits);
            spec.commandLine().getOut().printf("Four eyes: %s.%n", limits.isEmpty() ? "off" : "above " + String.join(", ", fourEyes));
        }
        var agreement = new SettingsAgreement(settings, spec.commandLine().getOut());
        boolean tiers = agreement.onTiers(agreeTiers);
        boolean source = agreement.onSource(agreeSource);
        boolean kept = retention.isEmpty() || agreement.onRetention(retention.get(), yes);
        return planned && granted && tiers && source && kept ? 0 : 1;
    }

    private void refuseRetention() {
        retention.filter(days -> days < IdempotencyKey.SHORTEST_RETENTION.toDays() || days > LONGEST_RETENTION).ifPresent(days -> {
            throw new CommandLine.ParameterException(spec.commandLine(), "--retention is %d, but must be from %d to %d days".formatted(days,
                    IdempotencyKey.SHORTEST_RETENTION.toDays(), LONGEST_RETENTION));
        });
    }

    private int check(PipelineSettings settings) {
        List<String> drifted = Migrate.driftedGrants(settings);
        drifted.forEach(line -> spec.commandLine().getOut().printf("%s%n", line));
        spec.commandLine().getOut().printf(drifted.isEmpty() ? "All rights are as migrate --roles left them.%n"
                : "chargeonce migrate --roles mends this.%n");
        boolean agreed = new SettingsAgreement(settings, spec.commandLine().getOut()).isMet();
        boolean planned = report(Migrate.checkTopics(settings, partitions, replicas, false));
        if (planned) {
            spec.commandLine().getOut().printf("All topics are as planned.%n");
        }
        return drifted.isEmpty() && planned && agreed ? 0 : 1;
    }

    /** Returns false if a topic is not as planned. */
    private boolean checkTopics(PipelineSettings settings) {
        Migrate.TopicState state = Migrate.checkTopics(settings, partitions, replicas, repairTopics);
        PrintWriter out = spec.commandLine().getOut();
        if (!state.grown().isEmpty()) {
            out.printf("Partitions: %s %s %d now. Restart the services, or their producers use the new ones only after minutes.%n",
                    String.join(", ", state.grown()), state.grown().size() == 1 ? "has" : "have", partitions.orElseThrow());
        }
        state.repaired().forEach(difference -> out.printf("Topic %s: %s is %s now, it was %s.%n", difference.topic(), difference.setting(),
                difference.planned(), difference.actual()));
        return report(state);
    }

    private boolean report(Migrate.TopicState state) {
        PrintWriter out = spec.commandLine().getOut();
        state.differences().forEach(difference -> out.printf("NOT as planned: %s%n", difference));
        if (state.differences().stream().anyMatch(TopicCheck.Difference::repairable)) {
            out.printf(
                    "chargeonce migrate --repair-topics sets these. An empty topic that a broker made by itself can be deleted instead, "
                            + "and "
                            + "migrate creates it.%n");
        }
        if (state.differences().stream().anyMatch(difference -> difference.setting().equals("replicas"))) {
            out.printf("Replicas are added by Kafka's own kafka-reassign-partitions.%n");
        }
        if (state.makeThemselves().orElse(false)) {
            out.printf(
                    "DANGER: these brokers have auto.create.topics.enable=true. A service that names a topic before migrate has created "
                            + "it makes "
                            + "one with the brokers' defaults, which may delete waiting records. Set it to false.%n");
        }
        return state.differences().isEmpty();
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
        AccessPlan.Applied acls = Migrate.acls(settings, foreignTopics);
        if (acls.guarded()) {
            out.printf("ACLs: created; %s.%n",
                    acls.tookBack().isEmpty() ? "nothing had to be taken back" : acls.tookBack().size() + " taken back");
            acls.tookBack().forEach(acl -> out.printf("  took back: %s%n", words(acl)));
            acls.left().forEach(acl -> out.printf("  NOT taken back, because other applications may need it: %s%n", words(acl)));
        } else {
            out.printf("ACLs: none, because these brokers have no authorizer; they would be%n");
            Migrate.plannedAcls(settings, foreignTopics).forEach(acl -> out.printf("  %s%n", words(acl)));
        }
        return applied.left().isEmpty();
    }

    private static String words(AclBinding acl) {
        return "%s may %s %s %s%s".formatted(acl.entry().principal(), acl.entry().operation(), acl.pattern().resourceType(),
                acl.pattern().name(),
                acl.pattern().patternType() == PatternType.PREFIXED ? "*" : "");
    }
}
