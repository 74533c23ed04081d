// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Environment;
import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Settings;
import io.chargeonce.vault.DataKeys;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The component that talks to banks, which {@link DeploymentTest} does not see in the base. */
class BankFilesDeploymentTest {

    private static final Path KUBERNETES = Repository.root().resolve("deploy/kubernetes");
    private static final String SECRETS = "/etc/chargeonce/secret/";
    /** The largest file of a bank that is read, and what else lies in /tmp. */
    private static final BigDecimal IN_TMP = new BigDecimal((256L + 32) * 1024 * 1024);

    private static <T> T resource(String file, Class<T> type) throws IOException {
        return type.cast(new KubernetesSerialization().unmarshal(Files.readString(KUBERNETES.resolve(file))));
    }

    private static PodSpec pod() throws IOException {
        return resource("bank-files/service.yaml", Deployment.class).getSpec().getTemplate().getSpec();
    }

    /** With the account of docs/bank.md, and the one line for Kafka that docs/operate/install.md asks for. */
    @Test
    void it_starts_without_leave_to_be_insecure_from_its_secret_and_the_documents_account(@TempDir Path mounts) throws IOException {
        DataKeys.add(mounts.resolve("bank-key"));
        var example = Pattern.compile("```\\n(creditor.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Repository.root().resolve("docs/bank.md")));
        assertThat(example.find()).isTrue();
        Files.writeString(mounts.resolve("bank.properties"), example.group(1));
        Files.writeString(mounts.resolve("kafka.properties"), "security.protocol=SSL\n");

        Settings given = Settings.load(environment(mounts), BankFilesSettings.ALL, Environment.CATALOGUE);
        BankFilesSettings settings = BankFilesSettings.from(given);

        assertThat(settings.accounts()).extracting(BankAccount::name).containsExactly(
                Pattern.compile("CHARGEONCE_BANKS, value: (\\S+) }").matcher(Files.readString(KUBERNETES.resolve(
                        "bank-files/kustomization.yaml"))).results().map(found -> found.group(1)).toArray(String[]::new));
        assertThat(settings.accounts().getFirst().place().knownHosts().getParent()).isEqualTo(mounts);
    }

    private static Map<String, String> environment(Path mounts) throws IOException {
        var environment = new HashMap<>(resource("base/settings.yaml", ConfigMap.class).getData());
        environment.put("CHARGEONCE_ADMIN_ADDRESS", "0.0.0.0:9100");
        pod().getContainers().getFirst().getEnv().forEach(given -> environment.put(given.getName(), given.getValue()));
        environment.keySet().removeIf(name -> !name.startsWith("CHARGEONCE_"));
        for (var given : environment.entrySet()) {
            if (given.getValue().startsWith(SECRETS)) {
                Path file = mounts.resolve(given.getValue().substring(SECRETS.length()));
                if (Files.notExists(file)) {
                    Files.writeString(file, "secret-of-at-least-32-characters\n");
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
                }
                given.setValue(file.toString());
            }
        }
        return environment;
    }

    @Test
    void its_pod_is_no_root_has_time_to_end_and_room_in_memory_for_a_banks_largest_file() throws IOException {
        PodSpec pod = pod();
        Container container = pod.getContainers().getFirst();
        assertThat(pod.getEnableServiceLinks()).isFalse();
        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
        assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/health/live");
        assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/health/ready");
        assertThat(Duration.ofSeconds(pod.getTerminationGracePeriodSeconds())).isGreaterThan(Lifecycle.LONGEST_CLOSE);
        assertThat(pod.getVolumes()).filteredOn(volume -> volume.getName().equals("tmp")).singleElement().satisfies(volume -> {
            assertThat(volume.getEmptyDir().getMedium()).as("in clear text on no disk").isEqualTo("Memory");
            assertThat(Quantity.getAmountInBytes(volume.getEmptyDir().getSizeLimit())).isGreaterThan(IN_TMP);
        });
        assertThat(Files.readString(KUBERNETES.resolve("monitoring/pods.yaml"))).contains("bank-files");
    }

    /** The way to Postgres is that of all pods: {@link OverlayTest}. */
    @Test
    void it_may_speak_with_banks_and_with_no_private_address() throws IOException {
        NetworkPolicy policy = resource("bank-files/network.yaml", NetworkPolicy.class);
        assertThat(policy.getSpec().getPodSelector().getMatchLabels()).containsEntry("app.kubernetes.io/name", "bank-files");
        assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
        assertThat(policy.getSpec().getEgress()).flatExtracting(rule -> rule.getPorts().stream().map(port -> port.getPort().getIntVal())
                .distinct().toList()).containsExactly(53, 22);
        assertThat(policy.getSpec().getEgress().getLast().getTo().getFirst().getIpBlock().getExcept()).contains("10.0.0.0/8",
                "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16");
    }
}
