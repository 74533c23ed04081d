package io.chargeonce.standalone;

import io.chargeonce.database.Roles;
import io.chargeonce.runtime.PipelineSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.common.resource.PatternType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "migrate", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Brings the Postgres schema and the Kafka topics up to date. Run it again as often as you like.",
        footer = {"", "Example:", "  chargeonce migrate --partitions 24 --replicas 3"})
final class MigrateCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--partitions", defaultValue = "12", description = "Partitions of a topic that is made now. Default: ${DEFAULT-VALUE}.")
    int partitions;

    @Option(names = "--replicas", description = "Replicas of a topic that is made now. Default: the brokers' own.")
    Optional<Short> replicas = Optional.empty();

    @Option(names = "--roles", description = "Also one Postgres role and one Kafka principal per service, each with the least rights.")
    boolean roles;

    @Option(names = "--passwords", paramLabel = "DIR",
            description = "With --roles: a file per Postgres role, named as the role, that holds its password.")
    Optional<Path> passwords = Optional.empty();

    @Override
    public Integer call() {
        PipelineSettings settings = Environment.read(PipelineSettings.ALL, PipelineSettings::from);
        int migrations = Migrate.schema(settings);
        List<String> created = Migrate.topics(settings, partitions, replicas);
        spec.commandLine().getOut().printf("Schema: %s. Topics: %s.%n",
                migrations == 0 ? "up to date" : migrations + (migrations == 1 ? " migration applied" : " migrations applied"),
                created.isEmpty() ? "all there" : "created " + String.join(", ", created));
        if (roles) {
            grant(settings);
        }
        return 0;
    }

    private void grant(PipelineSettings settings) {
        List<String> withPassword = Migrate.roles(settings, passwords);
        boolean guarded = Migrate.acls(settings);
        spec.commandLine().getOut().printf("Roles: %s; passwords set for %s.%nACLs: %s.%n", String.join(", ", Roles.ALL),
                withPassword.isEmpty() ? "none" : String.join(", ", withPassword),
                guarded ? "created" : "none, for these brokers have no authorizer; they would be");
        if (!guarded) {
            Migrate.plannedAcls(settings).forEach(acl -> spec.commandLine().getOut().printf("  %s may %s %s %s%n",
                    acl.entry().principal(), acl.entry().operation(), acl.pattern().resourceType(), acl.pattern().name()
                            + (acl.pattern().patternType() == PatternType.PREFIXED ? "*" : "")));
        }
    }
}
