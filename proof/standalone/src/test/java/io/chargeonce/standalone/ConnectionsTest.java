// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.bank.BankFilesService;
import io.chargeonce.charge.ChargeEngine;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.receipts.ReceiptService;
import io.chargeonce.webhooks.WebhookService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** How many connections to Postgres each size needs: from the defaults, and from the manifests' numbers of processes. */
class ConnectionsTest {

    private static final Path KUBERNETES = Repository.root().resolve("deploy/kubernetes");
    private static final List<String> SERVICES = List.of("ingest", "charge", "retry", "console", "webhooks", "receipts", "bank-files");
    /** Of a command: the reconciliation and the migration, which may run at the same time, the latter with a second one for its lock. */
    private static final int OF_JOBS = 3;
    /** Its pod is replaced, and not joined by a new one. */
    private static final String CONSOLE = "console";

    private static int ofOne(String service) {
        return switch (service) {
            case "ingest" -> Integer.parseInt(IngestSettings.DATABASE_CONNECTIONS.fallback());
            case "charge", "retry" -> ChargeEngine.CONNECTIONS;
            case CONSOLE -> Integer.parseInt(ConsoleSettings.CONNECTIONS.fallback());
            case "webhooks" -> WebhookService.CONNECTIONS;
            case "receipts" -> ReceiptService.CONNECTIONS;
            case "bank-files" -> BankFilesService.CONNECTIONS;
            default -> throw new IllegalArgumentException(service);
        };
    }

    private static Optional<Integer> number(String file, String pattern) throws IOException {
        return Pattern.compile(pattern, Pattern.DOTALL).matcher(Files.readString(KUBERNETES.resolve(file))).results().findFirst()
                .map(found -> Integer.valueOf(found.group(1)));
    }

    private static int inBase(String service) throws IOException {
        String file = switch (service) {
            case "webhooks" -> "merchant-webhooks/sender.yaml";
            case "receipts" -> "receipts/sender.yaml";
            case "bank-files" -> "bank-files/service.yaml";
            default -> "base/" + service + ".yaml";
        };
        return number(file, "kind: Deployment.*?\\n  replicas: (\\d+)").orElse(1);
    }

    private static int inTheTrial(String service) throws IOException {
        return number("overlays/small/kustomization.yaml", "name: " + service + ", count: (\\d+)").orElse(inBase(service));
    }

    private static int autoscaled(String service, String bound) throws IOException {
        return switch (service) {
            case "ingest" -> number("autoscaling/ingest.yaml", bound + "Replicas: (\\d+)").orElseThrow();
            case "charge", "retry" -> number("autoscaling/overdue.yaml",
                    "name: " + service + " \\}(?:(?!---).)*?" + bound + "ReplicaCount: (\\d+)").orElseThrow();
            default -> inBase(service);
        };
    }

    private static Map<String, Integer> each(String size) throws IOException {
        var processes = new LinkedHashMap<String, Integer>();
        for (String service : SERVICES) {
            processes.put(service, switch (size) {
                case "small" -> inTheTrial(service);
                case "production" -> autoscaled(service, "min");
                case "autoscaled to the maximum" -> autoscaled(service, "max");
                default -> throw new IllegalArgumentException(size);
            });
        }
        return processes;
    }

    private static int connections(Map<String, Integer> processes, boolean rolling) {
        return processes.entrySet().stream()
                .mapToInt(each -> ofOne(each.getKey()) * (each.getValue() + (rolling && !each.getKey().equals(CONSOLE) ? 1 : 0))).sum();
    }

    private static String row(String size) throws IOException {
        Map<String, Integer> processes = each(size);
        var row = new StringBuilder("| ").append(size).append(" |");
        SERVICES.forEach(service -> row.append(" %d × %d |".formatted(processes.get(service), ofOne(service))));
        return row.append(" %d | %d |".formatted(connections(processes, false), connections(processes, true))).toString();
    }

    @Test
    void the_table_of_connections_says_what_defaults_and_manifests_give() throws IOException {
        String document = Files.readString(Repository.root().resolve("docs/operate/install.md"));
        for (String size : List.of("small", "production", "autoscaled to the maximum")) {
            assertThat(document).contains(row(size));
        }
        assertThat(document).as("what max_connections has to be").contains("`max_connections` of at least "
                + (connections(each("production"), true) + OF_JOBS + 20));
    }

    @Test
    void the_postgres_of_compose_has_room_for_its_services() throws IOException {
        String compose = Files.readString(Repository.root().resolve("deploy/compose.yaml"));
        var most = Pattern.compile("max_connections=(\\d+)").matcher(compose);
        assertThat(most.find()).isTrue();
        int needed = SERVICES.stream().mapToInt(ConnectionsTest::ofOne).sum();
        assertThat(Integer.parseInt(most.group(1))).isGreaterThan(needed + 20);
    }
}
