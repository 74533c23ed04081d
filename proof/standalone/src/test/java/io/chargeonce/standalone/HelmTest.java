// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.marcnuri.helm.Helm;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chart reads the resources of {@code deploy/kubernetes}. What Helm itself makes of them is what kustomize makes of them. */
class HelmTest {

    private static final Path CHART = Repository.root().resolve("deploy/helm/chargeonce");
    private static final Path KUBERNETES = Repository.root().resolve("deploy/kubernetes");
    /** Helm has hooks in place of the first, and values in place of the second. */
    private static final Set<String> NOT_IN_THE_CHART = Set.of("argo-cd", "managed");
    private static final String AS_KUSTOMIZE = "migrate: job\nrestartOnNewSettings: false\n";

    @TempDir
    Path directory;

    @Test
    void helm_renders_what_kustomize_builds_of_each_overlay() throws Exception {
        assumeKubectl();
        for (String overlay : List.of("small", "production")) {
            assertSame(overlay, rendered(AS_KUSTOMIZE, overlay), built("resources: [../../overlays/" + overlay + "]"));
        }
        assertSame("managed", rendered(AS_KUSTOMIZE, "production", "managed"), withComponents("managed"));
    }

    @Test
    void helm_renders_what_kustomize_builds_with_each_component_and_with_all() throws Exception {
        assumeKubectl();
        var components = components();
        for (String component : components) {
            assertSame(component, rendered(AS_KUSTOMIZE + switchedOn(List.of(component)), "production"), withComponents(component));
        }
        components.removeAll(Set.of("webhooks", "one-secret"));
        var all = Stream.concat(components.stream(), Stream.of("managed", "one-secret")).toArray(String[]::new);
        assertSame("all", rendered(AS_KUSTOMIZE + switchedOn(components()), "production", "managed"), withComponents(all));
    }

    private static void assumeKubectl() {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(folder -> Files.isExecutable(Path.of(folder, "kubectl"))),
                "kubectl is missing: the chart is not compared with what kustomize builds");
    }

    @Test
    void every_component_can_be_switched_on_by_a_value() throws Exception {
        Map<?, ?> listed = new KubernetesSerialization().unmarshal(Files.readString(CHART.resolve("values.yaml")), Map.class);
        var components = components();
        components.add("autoscaling");
        assertThat(((Map<?, ?>) listed.get("components")).keySet()).isEqualTo(components);
    }

    /** Helm runs hooks first, so that nothing which they need may wait for them. */
    @Test
    void migrate_runs_before_all_else_with_settings_and_ways_of_its_own() throws Exception {
        var hooked = byName(template(withHooksShown(), "", "production", "managed"));
        var hooks = Set.of("ConfigMap migrate-hook", "Job migrate", "NetworkPolicy migrate-hook");
        assertThat(text(hooked.get("Job migrate"))).contains("\"configMapRef\":{\"name\":\"migrate-hook\"}", "\"shown/hook-weight\":\"0\"",
                "\"shown/hook\":\"pre-install,pre-upgrade\"", "\"shown/hook-delete-policy\":\"before-hook-creation\"");
        assertThat(text(hooked.get("ConfigMap migrate-hook"))).contains("\"shown/hook-weight\":\"-1\"");
        assertThat(hooked.get("ConfigMap migrate-hook").get("data")).isEqualTo(hooked.get("ConfigMap chargeonce").get("data"));
        assertThat(text(hooked.get("NetworkPolicy migrate-hook"))).contains("\"port\":53", "\"192.0.2.64/26\"", "\"port\":5432",
                "\"192.0.2.192/26\"", "\"port\":9093", "\"matchLabels\":{\"app.kubernetes.io/name\":\"migrate\"}");
        var remaining = rendered("", "production", "managed");
        assertThat(remaining).as("what Helm takes for no hook").doesNotContainKeys(hooks.toArray(String[]::new));
        hooked.keySet().removeAll(hooks);
        assertThat(hooked).isEqualTo(remaining);
        var plain = rendered("migrate: job\n", "production", "managed");
        assertThat(plain.remove("Job migrate")).isNotNull();
        assertThat(plain).isEqualTo(remaining);
    }

    @Test
    void as_owner_runs_the_job_of_a_release_with_other_words() throws Exception {
        assumeKubectl();
        Path hooks = Files.writeString(directory.resolve("hooks"), template(withHooksShown(), ""));
        var command = new ProcessBuilder(KUBERNETES.resolve("as-owner").toString(), "migrate", "--check", "--replicas", "3");
        command.environment().putAll(Map.of("PRINT", "1", "RENDER", "cat " + hooks));
        assertThat(output(command)).contains("- migrate\n", "- --check\n", "name: as-owner-", "name: migrate-hook\n", "image: chargeonce:")
                .doesNotContain("--roles");
    }

    private static String output(ProcessBuilder command) throws Exception {
        Process started = command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String output = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(started.waitFor()).isZero();
        return output;
    }

    /** A copy whose hooks are ordinary resources, because Helm as a library returns no hooks. */
    private Path withHooksShown() throws IOException {
        Path copy = directory.resolve("shown");
        try (Stream<Path> files = Files.walk(CHART, FileVisitOption.FOLLOW_LINKS)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path to = copy.resolve(CHART.relativize(file).toString());
                Files.createDirectories(to.getParent());
                Files.writeString(to, Files.readString(file).replace("\"helm.sh/hook", "\"shown/hook"));
            }
        }
        return copy;
    }

    @Test
    void each_value_changes_what_it_names() throws Exception {
        var resources = rendered(EVERYTHING);
        assertThat(resources.keySet()).contains("Ingress ingest", "PrometheusRule chargeonce").doesNotContain("Namespace chargeonce")
                .noneMatch(name -> name.contains("console"));
        String charge = text(resources.get("Deployment charge"));
        assertThat(charge).contains("\"image\":\"registry.example/chargeonce@sha256:00\"", "\"replicas\":5", "\"cpu\":\"2\"",
                "\"memory\":\"1Gi\"", "{\"name\":\"CHARGEONCE_PSP_TIMEOUT\",\"value\":\"20s\"}", "\"secretName\":\"payments-charge\"",
                "\"imagePullSecrets\":[{\"name\":\"registry\"}]", "\"chargeonce/settings\":\"");
        assertThat(text(resources.get("Deployment retry"))).contains("\"replicas\":2", "\"secretName\":\"chargeonce-retry\"");
        assertThat(text(resources.get("CronJob reconcile-stripe"))).contains("@sha256:00", "\"imagePullSecrets\"");
        assertThat(text(resources.get("Deployment receipts"))).contains("\"value\":\"mail.shop.example:587\"")
                .doesNotContain("smtp.example.com");
        assertThat(text(resources.get("ConfigMap chargeonce"))).contains("\"CHARGEONCE_RETRY_TIERS\":\"1s\"");
        assertThat(text(resources.get("PodMonitor chargeonce"))).contains("\"release\":\"prometheus\"");
        assertThat(text(resources.get("PrometheusRule chargeonce"))).contains(
                "\"runbook_url\":\"https://git.example/docs/operate/runbook.md#",
                "{{ $labels.instance }}", "ChargeonceReplicationLag");
        assertThat(text(resources.get("Ingress ingest"))).contains("\"secretName\":\"pay-tls\"", "\"ingressClassName\":\"nginx\"",
                "\"service\":{\"name\":\"ingest\",\"port\":{\"name\":\"http\"}}");
        String charges = text(rendered("").get("Deployment charge"));
        for (String changed : List.of("settings: { CHARGEONCE_RETRY_TIERS: 2s }\n",
                "overrides: { ConfigMap/chargeonce: { data: { CHARGEONCE_RETRY_TIERS: 2s } } }\n")) {
            assertThat(text(rendered(changed).get("Deployment charge"))).as("new settings reach the pods").isNotEqualTo(charges);
        }
    }

    private static final String EVERYTHING = """
            images: { chargeonce: "registry.example/chargeonce@sha256:00" }
            components: { receipts: true, reconcile: true, monitoring: true }
            console: false
            settings: { CHARGEONCE_RETRY_TIERS: 1s }
            services:
              charge: { replicas: 5, env: { CHARGEONCE_PSP_TIMEOUT: 20s }, resources: { requests: { cpu: "2" } } }
              receipts: { env: { CHARGEONCE_SMTP_SERVER: "mail.shop.example:587" } }
            pod: { imagePullSecrets: [{ name: registry }] }
            secretNames: { chargeonce-charge: payments-charge }
            prometheusRule: { enabled: true, runbooks: "https://git.example/" }
            ingress: { className: nginx, hosts: { ingest: { host: pay.example.com, tlsSecret: pay-tls } } }
            overrides: { PodMonitor/chargeonce: { metadata: { labels: { release: prometheus } } } }
            """;

    @Test
    void a_value_that_means_nothing_is_refused() {
        Map.of("replicas: 3", "replicas", "components: { recepts: true }", "there is no component recepts",
                "services: { recepts: { replicas: 1 } }", "recepts does not run", "overrides: { Deployment/x: {} }",
                "there is no Deployment/x",
                "settings: { CHARGEONCE_PSP_TIMEOUT: 20 }", "CHARGEONCE_PSP_TIMEOUT", "migrate: never", "migrate",
                "ingress: { hosts: { ingest: { host: pay.example.com } } }", "tlsSecret",
                "ingress: { hosts: { webhooks: { host: psp.example.com, tlsSecret: t } } }", "there is no Service webhooks")
                .forEach((values, said) -> assertThatThrownBy(() -> rendered(values)).as(values).hasMessageContaining(said));
    }

    @Test
    void a_value_that_would_change_nothing_is_refused_and_a_port_is_also_that_of_a_namespace() throws Exception {
        Map.of("secretNames: { chargeonce-receipts: mail }", "no pod has the Secret chargeonce-receipts",
                "services: { console: { replicas: 2 } }", "services.console.replicas",
                "components: { autoscaling: true }\nservices: { charge: { replicas: 4 } }", "services.charge.replicas")
                .forEach((values, said) -> assertThatThrownBy(() -> rendered(values)).as(values).hasMessageContaining(said));
        assertThat(text(rendered("postgres: { port: 6432 }\n").get("NetworkPolicy to-postgres"))).contains("\"port\":6432", "database");
        assertThat(text(rendered("migrate: job\nmigrateOptions: [--foreign-topic, orders]\n").get("Job migrate")))
                .contains("\"/etc/chargeonce/passwords\",\"--foreign-topic\",\"orders\"]");
    }

    @Test
    void kubernetes_knows_every_field_that_helm_renders_and_lint_is_content() throws Exception {
        for (HasMetadata resource : resources(template(withHooksShown(), EVERYTHING))) {
            if (!DeploymentTest.OTHERS.contains(resource.getApiVersion().split("/")[0])) {
                assertThat(resource).isNotInstanceOf(GenericKubernetesResource.class);
                assertThat(DeploymentTest.unknownFields(resource, resource.getKind() + " " + resource.getMetadata().getName())).isEmpty();
            }
        }
        assertThat(new Helm(CHART).lint().strict().call()).satisfies(lint -> assertThat(lint.isFailed()).as("%s", lint.getMessages())
                .isFalse());
    }

    /** A chart in a registry has the files themselves and no links to them. */
    @Test
    void a_packed_chart_renders_the_same() throws Exception {
        new Helm(CHART).packageIt().withDestination(directory).call();
        Path packed;
        try (Stream<Path> files = Files.list(directory)) {
            packed = files.filter(file -> file.toString().endsWith(".tgz")).findFirst().orElseThrow();
        }
        assertThat(Files.size(packed)).isLessThan(500_000);
        assertThat(template(packed, EVERYTHING)).isEqualTo(template(CHART, EVERYTHING));
    }

    private static TreeSet<String> components() throws IOException {
        var components = new TreeSet<String>();
        try (Stream<Path> folders = Files.list(KUBERNETES)) {
            for (Path folder : folders.filter(Files::isDirectory).toList()) {
                Path file = folder.resolve("kustomization.yaml");
                if (Files.exists(file) && Files.readString(file).contains("kind: Component\n")) {
                    components.add(folder.getFileName().toString());
                }
            }
        }
        components.removeAll(NOT_IN_THE_CHART);
        components.remove("autoscaling");
        return components;
    }

    private static String switchedOn(Iterable<String> components) {
        return "components: { autoscaling: true, " + String.join(": true, ", components) + ": true }\n";
    }

    private Map<String, Map<?, ?>> rendered(String values, String... files) throws IOException {
        return byName(template(CHART, values, files));
    }

    private String template(Path chart, String values, String... files) throws IOException {
        var command = new Helm(chart).template().withName("payments").withNamespace("chargeonce");
        for (String file : files) {
            command.withValuesFile(CHART.resolve("values/" + file + ".yaml"));
        }
        return command.withValuesFile(Files.writeString(directory.resolve("values.yaml"), values)).call();
    }

    /** The production overlay with these written into its list, as its comment says. */
    private Map<String, Map<?, ?>> withComponents(String... components) throws Exception {
        String production = Files.readString(KUBERNETES.resolve("overlays/production/kustomization.yaml"));
        return built(production.replace("../../autoscaling]", "../../autoscaling, ../../" + String.join(", ../../", components) + "]"));
    }

    /** kustomize takes no absolute folders. */
    private Map<String, Map<?, ?>> built(String kustomization) throws Exception {
        Path overlay = directory.toRealPath();
        String kubernetes = overlay.relativize(KUBERNETES.toRealPath()).toString();
        Files.writeString(overlay.resolve("kustomization.yaml"), kustomization.replace("../../", kubernetes + "/"));
        var resources = byName(output(new ProcessBuilder("kubectl", "kustomize", overlay.toString())));
        resources.remove("Namespace chargeonce");
        return resources;
    }

    private static void assertSame(String what, Map<String, Map<?, ?>> rendered, Map<String, Map<?, ?>> built) {
        assertThat(rendered.keySet()).as(what).hasSizeGreaterThan(20).isEqualTo(built.keySet());
        built.forEach((name, resource) -> assertThat(sorted(rendered.get(name))).as("%s: %s", what, name).isEqualTo(sorted(resource)));
    }

    /** Variables have no order: none of ours names another. */
    private static Object sorted(Object node) {
        if (node instanceof Map<?, ?> map) {
            var sorted = new TreeMap<String, Object>();
            map.forEach((key, value) -> sorted.put((String) key, key.equals("env")
                    ? ((List<?>) value).stream().sorted(Comparator.comparing(each -> (String) ((Map<?, ?>) each).get("name"))).toList()
                    : sorted(value)));
            return sorted;
        }
        return node instanceof List<?> list ? list.stream().map(HelmTest::sorted).toList() : node;
    }

    private static Map<String, Map<?, ?>> byName(String manifests) {
        return documents(manifests).stream().map(document -> (Map<?, ?>) new KubernetesSerialization().unmarshal(document, Map.class))
                .collect(Collectors.toMap(each -> each.get("kind") + " " + ((Map<?, ?>) each.get("metadata")).get("name"),
                        Function.identity(), (first, second) -> {
                            throw new IllegalStateException("twice: " + second);
                        }, TreeMap::new));
    }

    private static List<HasMetadata> resources(String manifests) {
        var resources = new ArrayList<HasMetadata>();
        documents(manifests).forEach(document -> resources.add(new KubernetesSerialization().unmarshal(document)));
        return resources;
    }

    private static List<String> documents(String manifests) {
        return Stream.of(manifests.split("(?m)^---$")).filter(document -> document.contains("kind: ")).toList();
    }

    private static String text(Object resource) {
        return new KubernetesSerialization().asJson(resource);
    }
}
