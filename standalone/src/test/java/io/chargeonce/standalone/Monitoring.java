package io.chargeonce.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The metrics that alerts and dashboards use, and those that a service exports. */
final class Monitoring {

    private static final Path DIRECTORY = Repository.root().resolve("deploy/monitoring");
    private static final Pattern METRIC = Pattern.compile("\\b(?:chargeonce|jvm|process)_[a-z_]+");

    private Monitoring() {}

    static Set<String> metrics() throws IOException {
        var named = new TreeSet<String>();
        for (String file : new String[] {"alerts.yaml", "alerts-test.yaml", "grafana/pipeline.json"}) {
            METRIC.matcher(Files.readString(DIRECTORY.resolve(file))).results().forEach(found -> named.add(found.group()));
        }
        return named;
    }

    static Set<String> exported(String scrape) {
        return scrape.lines().filter(line -> !line.startsWith("#")).map(line -> line.split("[{ ]", 2)[0]).collect(Collectors.toSet());
    }
}
