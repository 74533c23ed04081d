package io.chargeonce.standalone;

import io.chargeonce.runtime.PipelineSettings;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
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

    @Override
    public Integer call() {
        PipelineSettings settings = Environment.read(PipelineSettings.ALL, PipelineSettings::from);
        int migrations = Migrate.schema(settings);
        List<String> created = Migrate.topics(settings, partitions, replicas);
        spec.commandLine().getOut().printf("Schema: %s. Topics: %s.%n",
                migrations == 0 ? "up to date" : migrations + " migrations applied",
                created.isEmpty() ? "all there" : "created " + String.join(", ", created));
        return 0;
    }
}
