// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The metrics that alerts and dashboards use, those that the operations document describes, and those that a service exports. */
final class Monitoring {

    private static final Path DIRECTORY = Repository.root().resolve("deploy/monitoring");
    private static final Pattern METRIC = Pattern.compile("\\b(?:chargeonce|jvm|process)_[a-z_]+");

    /** Those that only an event brings, such as a code of a PSP's, or that a service is set up so: HTTPS, or a bank in charge. */
    static final Set<String> ONLY_WHEN_IT_HAPPENS = Set.of("chargeonce_psp_declines_unmapped_total", "chargeonce_psp_bugs_total",
            "chargeonce_psp_webhooks_total", "chargeonce_psp_notices_unmatched_total", "chargeonce_psp_notices_dropped_total",
            "chargeonce_poison_total", "chargeonce_bugs_total", "chargeonce_certificate_expires_timestamp_seconds",
            "chargeonce_bank_lines_unmatched_total", "chargeonce_transaction_open_seconds");

    private Monitoring() {}

    /** Those that a service exports at all times. */
    static Set<String> metrics() throws IOException {
        var named = new TreeSet<String>();
        for (String file : new String[] {"alerts.yaml", "alerts-test.yaml", "grafana/pipeline.json"}) {
            METRIC.matcher(Files.readString(DIRECTORY.resolve(file))).results().forEach(found -> named.add(found.group()));
        }
        named.removeAll(ONLY_WHEN_IT_HAPPENS);
        return named;
    }

    static Set<String> exported(String scrape) {
        return scrape.lines().filter(line -> !line.startsWith("#")).map(line -> line.split("[{ ]", 2)[0]).collect(Collectors.toSet());
    }

    /** Ours among those that are exported, a timer's and a histogram's under one name. */
    static Set<String> ours(String scrape) {
        return exported(scrape).stream().filter(name -> name.startsWith("chargeonce_"))
                .map(name -> name.replaceFirst("_seconds_(bucket|count|sum|max)$", "_seconds")).collect(Collectors.toSet());
    }

    /** In the first column of the table of meters. */
    static Set<String> described() throws IOException {
        return Files.readString(Repository.root().resolve("docs/operate/watch.md")).lines()
                .filter(line -> line.startsWith("| `chargeonce_"))
                .flatMap(row -> METRIC.matcher(row.split("\\|")[1]).results()).map(found -> found.group()).collect(Collectors.toSet());
    }
}
