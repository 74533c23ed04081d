// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Environment;
import io.chargeonce.audit.AuditKeys;
import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.console.ConsoleSettings;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.vault.Vault;
import io.chargeonce.notifications.webhook.WebhookSettings;
import io.chargeonce.wire.AccessPlan;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.resource.PatternType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in deploy/ says the same as the code, and Kubernetes, Strimzi and Prometheus understand it. */
class DeploymentTest {

    private static final Path DEPLOY = Repository.root().resolve("deploy");
    private static final Topics TOPICS = new Topics("payments");
    /** Of the scripts and of Compose, not of the services. */
    private static final Set<String> NOT_OURS = Set.of("CHARGEONCE_IMAGE", "CHARGEONCE_CONSOLE_IMAGE", "CHARGEONCE_BASE_CACHE");
    /** Of operators, whose schemas are not Kubernetes's own. */
    static final Set<String> OTHERS = Set.of("kafka.strimzi.io", "keda.sh", "monitoring.coreos.com");
    private static final Optional<String> NODE_LOCAL_DNS = Optional.of("169.254.20.10/32");

    @Test
    void every_setting_that_a_manifest_gives_exists() throws IOException {
        var known = Stream.concat(Environment.CATALOGUE.stream(), Stream.of(Settings.PROPERTIES_FILE)).map(Setting::name)
                .collect(Collectors.toSet());
        var named = new TreeSet<String>();
        for (Path file : files("")) {
            Pattern.compile("CHARGEONCE_[A-Z_]*[A-Z]\\b").matcher(Files.readString(file)).results()
                    .forEach(found -> named.add(found.group()));
        }
        named.removeAll(NOT_OURS);
        assertThat(named).isNotEmpty().isSubsetOf(known);
    }

    /** Judged by the services themselves, from what a pod gives them: image, settings, variables, and files that only it may read. */
    @Test
    void every_pod_starts_without_leave_to_be_insecure(@TempDir Path mounts) throws IOException {
        for (Deployment deployment : deployments()) {
            var settings = environment(deployment.getSpec().getTemplate().getSpec(), mounts);
            assertThat(settings).containsKey("CHARGEONCE_ADMIN_ADDRESS").doesNotContainKey("CHARGEONCE_INSECURE");
            Settings.load(settings, switch (deployment.getMetadata().getName()) {
                case "ingest" -> IngestSettings.ALL;
                case "console" -> ConsoleSettings.ALL;
                case "webhooks" -> WebhookSettings.ALL;
                case "receipts" -> ReceiptSettings.ALL;
                case "bank-files" -> BankFilesSettings.ALL;
                default -> ChargeSettings.ALL;
            }, Environment.CATALOGUE);
        }
        for (Job job : resources("kubernetes/base").stream().filter(Job.class::isInstance).map(Job.class::cast).toList()) {
            Settings.load(environment(job.getSpec().getTemplate().getSpec(), mounts), PipelineSettings.ALL, Environment.CATALOGUE);
        }
    }

    private static Map<String, String> environment(PodSpec pod, Path mounts) throws IOException {
        var environment = new HashMap<String, String>();
        Pattern.compile("(CHARGEONCE_[A-Z_]+)=(\\S+)").matcher(Files.readString(DEPLOY.resolve("docker/Dockerfile"))).results()
                .forEach(given -> environment.put(given.group(1), given.group(2)));
        resources("kubernetes/base").stream().filter(ConfigMap.class::isInstance).map(ConfigMap.class::cast)
                .forEach(map -> environment.putAll(map.getData()));
        pod.getContainers().getFirst().getEnv().forEach(given -> environment.put(given.getName(), given.getValue()));
        for (var given : environment.entrySet()) {
            if (given.getValue().startsWith("/etc/chargeonce/")) {
                Path file = mounts.resolve(given.getValue().replace('/', '_'));
                if (Files.notExists(file)) {
                    Files.writeString(file, given.getKey().equals("CHARGEONCE_KAFKA_PROPERTIES_FILE")
                            ? "security.protocol=SASL_SSL\nsasl.jaas.config=secret\n" : "secret-of-at-least-32-characters\n");
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
                }
                given.setValue(file.toString());
            }
        }
        return environment;
    }

    @Test
    void kubernetes_knows_every_field_of_the_manifests() throws IOException {
        for (HasMetadata resource : resources("kubernetes")) {
            if (OTHERS.contains(resource.getApiVersion().split("/")[0])) {
                continue;
            }
            assertThat(resource).as(resource.getMetadata().getName()).isNotInstanceOf(GenericKubernetesResource.class);
            assertThat(unknownFields(resource, resource.getKind() + " " + resource.getMetadata().getName())).isEmpty();
        }
    }

    @Test
    void no_deployment_runs_as_root_writes_its_image_or_takes_service_links() throws IOException {
        assertThat(deployments()).hasSize(7).allSatisfy(deployment -> {
            var pod = deployment.getSpec().getTemplate().getSpec();
            assertThat(pod.getEnableServiceLinks()).isFalse();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getContainers()).allSatisfy(container -> {
                assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
                assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/health/live");
                assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/health/ready");
            });
        });
    }

    @Test
    void the_time_to_stop_a_service_is_longer_than_it_takes_to_close() throws IOException {
        var service = Pattern.compile("x-service: .*?stop_grace_period: (\\d+)m", Pattern.DOTALL)
                .matcher(Files.readString(DEPLOY.resolve("compose.yaml")));
        assertThat(service.find()).isTrue();
        assertThat(Duration.ofMinutes(Long.parseLong(service.group(1)))).isGreaterThan(Lifecycle.LONGEST_CLOSE);
        assertThat(deployments()).allSatisfy(deployment -> assertThat(Duration.ofSeconds(
                deployment.getSpec().getTemplate().getSpec().getTerminationGracePeriodSeconds())).isGreaterThan(Lifecycle.LONGEST_CLOSE));
    }

    @Test
    void a_rollout_waits_for_each_new_process_and_ends_no_old_one_before() throws IOException {
        var services = deployments().stream().filter(each -> !each.getMetadata().getName().equals("console")).toList();
        assertThat(services).extracting(each -> each.getMetadata().getName())
                .containsExactlyInAnyOrder("ingest", "charge", "retry", "webhooks", "receipts", "bank-files");
        assertThat(services).allSatisfy(deployment -> {
            assertThat(deployment.getSpec().getMinReadySeconds()).isGreaterThanOrEqualTo(90);
            assertThat(deployment.getSpec().getProgressDeadlineSeconds()).isGreaterThan(
                    (int) Lifecycle.LONGEST_CLOSE.plusSeconds(deployment.getSpec().getMinReadySeconds()).toSeconds());
            assertThat(deployment.getSpec().getStrategy().getRollingUpdate().getMaxUnavailable().getIntVal()).isZero();
        });
    }

    @Test
    void one_console_has_an_account_a_page_with_tls_a_folder_that_stays_and_no_way_to_the_psps(@TempDir Path mounts) throws IOException {
        Deployment console = deployments().stream().filter(deployment -> deployment.getMetadata().getName().equals("console")).findFirst()
                .orElseThrow();
        assertThat(console.getSpec().getReplicas()).as("one unless told otherwise").isNull();
        assertThat(console.getSpec().getStrategy().getType()).isEqualTo("Recreate");
        PodSpec pod = console.getSpec().getTemplate().getSpec();
        assertThat(pod.getServiceAccountName()).isEqualTo("console");
        assertThat(pod.getContainers()).extracting(Container::getImage).containsExactly("chargeonce-console");
        Map<String, String> settings = environment(pod, mounts);
        assertThat(settings).containsKeys(ConsoleSettings.TLS_CERTIFICATE.name(), ConsoleSettings.TLS_KEY.name());
        String folder = settings.get(WitnessSettings.STATE_FOLDER.name());
        var mount = pod.getContainers().getFirst().getVolumeMounts().stream().filter(each -> folder.startsWith(each.getMountPath() + "/"))
                .findFirst().orElseThrow();
        assertThat(pod.getVolumes()).filteredOn(volume -> volume.getName().equals(mount.getName())).singleElement()
                .satisfies(volume -> assertThat(volume.getPersistentVolumeClaim().getClaimName()).isEqualTo("console-witness"));
        assertThat(policies("console")).singleElement().satisfies(policy -> assertThat(policy.getSpec().getEgress())
                .flatExtracting(NetworkPolicyEgressRule::getTo).allSatisfy(
                        to -> assertThat(Optional.ofNullable(to.getIpBlock()).map(IPBlock::getCidr)).isIn(Optional.empty(),
                                NODE_LOCAL_DNS)));
        assertThat(Files.readString(DEPLOY.resolve("compose.yaml"))).contains(WitnessSettings.STATE_FOLDER.name() + ": " + folder + "\n");
    }

    @Test
    void every_pod_may_speak_only_with_what_a_policy_names() throws IOException {
        assertThat(deployments()).allSatisfy(deployment -> assertThat(policies(deployment.getMetadata().getName())).isNotEmpty());
    }

    /** The mail server may be inside. */
    @Test
    void a_way_to_the_internet_leads_to_nothing_inside() throws IOException {
        List<IPBlock> ways = resources("kubernetes").stream().filter(NetworkPolicy.class::isInstance).map(NetworkPolicy.class::cast)
                .filter(policy -> !policy.getMetadata().getName().equals("receipts"))
                .flatMap(policy -> policy.getSpec().getEgress().stream()).flatMap(rule -> rule.getTo().stream())
                .map(NetworkPolicyPeer::getIpBlock).filter(block -> block != null && block.getCidr().equals("0.0.0.0/0")).toList();
        assertThat(ways).hasSizeGreaterThanOrEqualTo(5).allSatisfy(way -> assertThat(way.getExcept())
                .contains("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"));
    }

    private static List<NetworkPolicy> policies(String service) throws IOException {
        return resources("kubernetes").stream().filter(NetworkPolicy.class::isInstance).map(NetworkPolicy.class::cast)
                .filter(policy -> service.equals(policy.getSpec().getPodSelector().getMatchLabels().get("app.kubernetes.io/name")))
                .toList();
    }

    @Test
    void strimzi_knows_every_field_of_its_resources() throws Exception {
        var serialization = new KubernetesSerialization();
        for (GenericKubernetesResource resource : Stream.concat(custom("kubernetes/strimzi", "KafkaTopic").stream(),
                custom("kubernetes/strimzi", "KafkaUser").stream()).toList()) {
            String what = resource.getKind().substring("Kafka".length()).toLowerCase(Locale.ROOT);
            Class<? extends HasMetadata> model = Class.forName("io.strimzi.api.kafka.model." + what + "." + resource.getKind())
                    .asSubclass(HasMetadata.class);
            assertThat(resource.getApiVersion()).isEqualTo(HasMetadata.getApiVersion(model));
            assertThat(unknownFields(serialization.unmarshal(serialization.asYaml(resource), model), resource.getMetadata().getName()))
                    .isEmpty();
        }
    }

    @Test
    void strimzis_topics_are_those_that_migrate_makes() throws IOException {
        Map<String, Map<String, String>> written = new HashMap<>();
        for (GenericKubernetesResource topic : custom("kubernetes/strimzi", "KafkaTopic")) {
            Map<String, String> config = new HashMap<>();
            Map<?, ?> given = topic.get("spec", "config");
            given.forEach((name, value) -> config.put((String) name, String.valueOf(value)));
            written.put(topic.getMetadata().getName(), config);
        }
        var planned = new TopicPlan(TOPICS, tiers(), 12, Optional.of((short) 3)).all().stream()
                .collect(Collectors.toMap(topic -> topic.name(), topic -> topic.configs()));
        assertThat(written).isEqualTo(planned);
    }

    /** There are as many as the manifests have durations. */
    private static int tiers() throws IOException {
        return resources("kubernetes/base").stream().filter(ConfigMap.class::isInstance).map(ConfigMap.class::cast)
                .map(map -> map.getData().get("CHARGEONCE_RETRY_TIERS")).map(durations -> durations.split(",").length)
                .findFirst().orElseThrow();
    }

    @Test
    void charge_seals_the_audit_log_with_a_key_and_charge_and_retry_seal_poison() throws IOException {
        String compose = Files.readString(DEPLOY.resolve("compose.yaml"));
        for (Deployment deployment : deploymentsOf("kubernetes/base")) {
            String service = deployment.getMetadata().getName();
            List<String> given = deployment.getSpec().getTemplate().getSpec().getContainers().getFirst().getEnv().stream()
                    .map(EnvVar::getName).toList();
            String composed = Pattern.compile("(?ms)^  " + service + ":$.*?(?=^  \\w+:$)").matcher(compose).results().findFirst()
                    .orElseThrow().group();
            for (Setting<?> key : List.of(Vault.FILE, AuditKeys.FILE)) {
                boolean needed = service.equals("charge") || service.equals("retry") && key == Vault.FILE;
                assertThat(given.contains(key.name())).as("%s of %s in Kubernetes", key.name(), service).isEqualTo(needed);
                assertThat(composed.contains(key.name() + ": ")).as("%s of %s in Compose", key.name(), service).isEqualTo(needed);
            }
        }
    }

    @Test
    void strimzis_users_may_do_what_migrate_grants() throws IOException {
        var written = new TreeSet<String>();
        for (GenericKubernetesResource user : custom("kubernetes/strimzi", "KafkaUser")) {
            List<?> acls = user.get("spec", "authorization", "acls");
            for (Object each : acls) {
                var acl = (Map<?, ?>) each;
                var resource = (Map<?, ?>) acl.get("resource");
                ((List<?>) acl.get("operations")).forEach(operation -> written.add(right("User:" + user.getMetadata().getName(),
                        operation, resource.get("type"), resource.containsKey("name") ? resource.get("name") : "kafka-cluster",
                        resource.containsKey("patternType") ? resource.get("patternType") : "literal")));
            }
        }
        var planned = new AccessPlan(TOPICS, tiers()).all().stream().map(acl -> right(acl.entry().principal(), acl.entry().operation(),
                acl.pattern().resourceType(), acl.pattern().name(),
                acl.pattern().patternType() == PatternType.PREFIXED ? "prefix" : "literal")).collect(Collectors.toCollection(TreeSet::new));
        assertThat(written).isEqualTo(planned);
    }

    @Test
    void each_service_is_spread_over_zones_and_nodes_keeps_one_when_a_node_is_emptied_and_finds_a_nodes_own_dns() throws IOException {
        var budgets = resources("kubernetes").stream().filter(PodDisruptionBudget.class::isInstance).map(PodDisruptionBudget.class::cast)
                .map(budget -> budget.getSpec().getMaxUnavailable().getIntVal() + " " + budget.getSpec().getSelector().getMatchLabels())
                .toList();
        for (Deployment deployment : deployments()) {
            String name = deployment.getMetadata().getName();
            if (!name.equals("console")) {
                assertThat(budgets).contains("1 {app.kubernetes.io/name=" + name + "}");
                assertThat(deployment.getSpec().getTemplate().getSpec().getTopologySpreadConstraints()).as(name)
                        .extracting(spread -> spread.getTopologyKey() + " " + spread.getLabelSelector().getMatchLabels())
                        .containsExactly("topology.kubernetes.io/zone {app.kubernetes.io/name=" + name + "}",
                                "kubernetes.io/hostname {app.kubernetes.io/name=" + name + "}");
            }
        }
        for (Path file : files("kubernetes")) {
            String text = Files.readString(file);
            assertThat(text.split("port: 53 }, \\{", -1)).as(file.toString()).hasSameSizeAs(text.split(NODE_LOCAL_DNS.get(), -1));
        }
    }

    /** Prometheus's operator gets the same rules, and scrapes what compose's Prometheus does. */
    @Test
    void the_operators_resources_have_every_alert_and_select_every_service() throws Exception {
        var command = new ProcessBuilder(DEPLOY.resolve("monitoring/prometheus-rule").toString()).redirectErrorStream(true);
        command.environment().put("RUNBOOKS", "https://git.example.com/");
        Process script = command.start();
        GenericKubernetesResource rule = new KubernetesSerialization().unmarshal(script.getInputStream());
        assertThat(script.waitFor()).isZero();
        assertThat(rule.getKind()).isEqualTo("PrometheusRule");
        String rules = new KubernetesSerialization().asJson(rule.getAdditionalProperties());
        for (String file : List.of("alerts.yaml", "alerts-infrastructure.yaml")) {
            List<String> alerts =
                    Pattern.compile("alert: (\\w+)").matcher(Files.readString(DEPLOY.resolve("monitoring").resolve(file))).results()
                            .map(found -> "\"alert\":\"" + found.group(1) + "\"").toList();
            assertThat(alerts).isNotEmpty().allSatisfy(alert -> assertThat(rules).contains(alert));
        }
        assertThat(rules).contains("\"runbook_url\":\"https://git.example.com/docs/operate/runbook.md#")
                .doesNotContain("\":\"docs/operate");
        String monitor = Files.readString(DEPLOY.resolve("kubernetes/monitoring/pods.yaml"));
        for (Deployment deployment : deployments()) {
            assertThat(monitor).contains(deployment.getMetadata().getName());
            assertThat(deployment.getSpec().getTemplate().getSpec().getContainers().getFirst().getPorts())
                    .anySatisfy(port -> assertThat(monitor).contains("port: " + port.getName() + "\n"));
        }
    }

    @Test
    void the_autoscalers_queries_are_those_that_are_tried() throws IOException {
        var queries = expressions("kubernetes/autoscaling/overdue.yaml", "query");
        assertThat(queries).hasSize(2);
        assertThat(expressions("monitoring/autoscaling-test.yaml", "expr")).containsAll(queries);
    }

    /** Folded text under this key, in one line each. */
    private static Set<String> expressions(String file, String key) throws IOException {
        return Pattern.compile("(?m)^( +)(?:- )?" + key + ": >-\\n((?:\\1  +.*\\n)+)").matcher(Files.readString(DEPLOY.resolve(file)))
                .results()
                .map(found -> found.group(2).strip().replaceAll("\\s+", " ")).collect(Collectors.toSet());
    }

    @Test
    void each_alert_is_tried_on_recorded_series() throws IOException {
        for (String file : List.of("alerts", "alerts-infrastructure")) {
            String tried = Files.readString(DEPLOY.resolve("monitoring/" + file + "-test.yaml"));
            assertThat(Pattern.compile("alert: (\\w+)").matcher(Files.readString(DEPLOY.resolve("monitoring/" + file + ".yaml"))).results()
                    .map(found -> found.group(1)).toList()).isNotEmpty()
                    .allSatisfy(alert -> assertThat(tried).containsPattern(alert + "\\b"));
        }
    }

    @Test
    void every_alert_leads_to_a_section_of_the_runbook() throws IOException {
        String operations = Files.readString(Repository.root().resolve("docs/operate/runbook.md"));
        var sections = Pattern.compile("(?m)^#+ (.+)$").matcher(operations).results()
                .map(found -> found.group(1).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
        String rules = Files.readString(DEPLOY.resolve("monitoring/alerts.yaml"))
                + Files.readString(DEPLOY.resolve("monitoring/alerts-infrastructure.yaml"));
        var anchors = Pattern.compile("(?m)^ *runbook_url: docs/operate/runbook\\.md#(\\S+)$").matcher(rules).results()
                .map(found -> found.group(1)).toList();
        long alerts = Pattern.compile("(?m)^ *- alert: ").matcher(rules).results().count();
        assertThat(alerts).isGreaterThan(20);
        assertThat(anchors).hasSize((int) alerts);
        assertThat(sections).containsAll(anchors);
    }

    /** Kafka writes DESCRIBE_CONFIGS where Strimzi writes DescribeConfigs. */
    private static String right(Object... words) {
        return Stream.of(words).map(String::valueOf).map(word -> word.replace("_", "")).collect(Collectors.joining(" "))
                .toLowerCase(Locale.ROOT);
    }

    private static List<GenericKubernetesResource> custom(String directory, String kind) throws IOException {
        return resources(directory).stream().filter(resource -> resource.getKind().equals(kind))
                .map(GenericKubernetesResource.class::cast).toList();
    }

    /** With those of components, which a cluster may leave out. */
    private static List<Deployment> deployments() throws IOException {
        return deploymentsOf("kubernetes");
    }

    private static List<Deployment> deploymentsOf(String directory) throws IOException {
        return resources(directory).stream().filter(Deployment.class::isInstance).map(Deployment.class::cast).toList();
    }

    private static List<HasMetadata> resources(String directory) throws IOException {
        var resources = new ArrayList<HasMetadata>();
        for (Path file : files(directory)) {
            if (!file.endsWith("kustomization.yaml") && file.toString().endsWith(".yaml")) {
                for (String document : Files.readString(file).split("(?m)^---$")) {
                    resources.add(new KubernetesSerialization().unmarshal(document));
                }
            }
        }
        return resources;
    }

    /** The model keeps what it does not know aside instead of refusing it. */
    static List<String> unknownFields(Object node, String path) {
        var unknown = new ArrayList<String>();
        if (node instanceof Collection<?> items) {
            items.forEach(item -> unknown.addAll(unknownFields(item, path)));
        } else if (node != null && node.getClass().getName().matches("io[.](fabric8[.]kubernetes|strimzi)[.]api[.].*")) {
            for (var getter : node.getClass().getMethods()) {
                if (getter.getName().startsWith("get") && getter.getParameterCount() == 0 && !getter.getName().equals("getClass")) {
                    Object value = invoke(getter, node);
                    if (getter.getName().equals("getAdditionalProperties")) {
                        ((Map<?, ?>) value).keySet().forEach(name -> unknown.add(path + ": " + name));
                    } else if (!(value instanceof Map)) {
                        unknown.addAll(unknownFields(value, path));
                    }
                }
            }
        }
        return unknown;
    }

    private static Object invoke(java.lang.reflect.Method getter, Object node) {
        try {
            return getter.invoke(node);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Bug! " + getter, e);
        }
    }

    private static List<Path> files(String directory) throws IOException {
        try (Stream<Path> found = Files.walk(DEPLOY.resolve(directory))) {
            return found.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().contains("target") && !file.toString().contains("secrets"))
                    .sorted().toList();
        }
    }
}
