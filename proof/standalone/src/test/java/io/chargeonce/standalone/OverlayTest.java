// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
