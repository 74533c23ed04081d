// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What kustomize would say of the overlays, where there is none; deploy/verify.d/kubernetes builds them. */
class OverlayTest {

    private static final Path KUBERNETES = Repository.root().resolve("deploy/kubernetes");

    private static List<Path> files(String name) throws IOException {
        try (Stream<Path> found = Files.walk(KUBERNETES)) {
            return found.filter(file -> file.toString().endsWith(name)).sorted().toList();
        }
    }

    /** The base gives its namespace to its own resources only; without this a component's are applied to the namespace default. */
    @Test
    void each_overlay_puts_what_its_components_bring_into_the_namespace_too() throws IOException {
        var overlays = files("kustomization.yaml").stream().filter(file -> file.startsWith(KUBERNETES.resolve("overlays"))).toList();
        assertThat(overlays).hasSizeGreaterThan(1);
        for (Path overlay : overlays) {
            assertThat(Files.readString(overlay)).as(overlay.toString()).contains("\nnamespace: chargeonce\n");
        }
    }

    /** So one component replaces the ways of all pods. */
    @Test
    void every_pod_finds_postgres_and_those_that_use_kafka_find_it_by_one_policy_each() throws IOException {
        var pods = new TreeSet<String>();
        for (Path file : files(".yaml")) {
            String text = Files.readString(file);
            Pattern.compile("(?ms)^kind: (?:Deployment|Job|CronJob|Pod)$.*?app.kubernetes.io/name: ([\\w-]+)").matcher(text).results()
                    .forEach(found -> pods.add(found.group(1)));
            if (!file.endsWith("base/backends.yaml")) {
                assertThat(text).as(file.toString()).doesNotContain("metadata.name: kafka", "metadata.name: database");
            }
        }
        var withoutKafka = Set.of("bank-files", "reconcile", "reconcile-bank");
        assertThat(pods).hasSizeGreaterThan(10).containsAll(withoutKafka);
        assertThat(selectedBy("to-postgres")).containsExactlyInAnyOrderElementsOf(pods);
        pods.removeAll(withoutKafka);
        assertThat(selectedBy("to-kafka")).containsExactlyInAnyOrderElementsOf(pods);
        assertThat(Files.readString(KUBERNETES.resolve("managed/kustomization.yaml"))).contains("name: to-postgres }", "name: to-kafka }");
    }

    private static List<String> selectedBy(String policy) throws IOException {
        var found = Pattern.compile("(?s)name: " + policy + "\n.*?values: \\[([^]]+)]")
                .matcher(Files.readString(KUBERNETES.resolve("base/backends.yaml")));
        assertThat(found.find()).isTrue();
        return List.of(found.group(1).split(", "));
    }

    /** By default each pod has a Secret of its own; the component may forget none of them. */
    @Test
    void one_secret_replaces_every_secret_of_a_pod_and_gives_no_pod_the_password_of_another() throws IOException {
        String one = Files.readString(KUBERNETES.resolve("one-secret/kustomization.yaml"));
        assertThat(Pattern.compile("path: database-password").matcher(one).results().count())
                .isEqualTo(Pattern.compile("key: (chargeonce_\\w+), path: database-password").matcher(one).results()
                        .map(found -> found.group(1)).distinct().count());
        for (Path file : files(".yaml")) {
            var owned = Pattern.compile("(?ms)^kind: (Deployment|Job|CronJob)$.*?^  name: ([\\w-]+)$.*?secretName: ")
                    .matcher(Files.readString(file));
            while (owned.find()) {
                assertThat(one).containsPattern("kind: " + owned.group(1) + ", name: (\\S+\\|)?" + owned.group(2) + "\\b");
            }
        }
    }

    @Test
    void no_two_components_name_a_resource_alike() throws IOException {
        var named = new ArrayList<String>();
        for (Path file : files(".yaml")) {
            if (!file.endsWith("kustomization.yaml") && !file.startsWith(KUBERNETES.resolve("strimzi"))) {
                Pattern.compile("(?ms)^kind: (\\w+)$.*?^metadata:$.*?^  name: ([\\w-]+)$").matcher(Files.readString(file)).results()
                        .forEach(found -> named.add(found.group(1) + " " + found.group(2)));
            }
        }
        assertThat(named).hasSizeGreaterThan(20).doesNotHaveDuplicates();
    }
}
