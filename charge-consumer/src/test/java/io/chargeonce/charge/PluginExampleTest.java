// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.chargeonce.sandbox.CompiledJar;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The example of a plugin is no module of ours. Its tests run here as its own build runs them. */
class PluginExampleTest {

    private static final Path EXAMPLE = Path.of("../examples/psp-plugin/src");
    /** Faults, amounts and the rest. */
    private static final int FEWEST_TESTS = 25;

    @TempDir
    Path directory;

    @Test
    void its_gateway_keeps_the_contract() throws Exception {
        Path plugin = CompiledJar.of(directory.resolve("paper.jar"), EXAMPLE.resolve("main"));
        Path tests = CompiledJar.of(directory.resolve("tests.jar"), EXAMPLE.resolve("test"), plugin);
        var listener = new SummaryGeneratingListener();
        try (var loader = new URLClassLoader(new URL[] {plugin.toUri().toURL(), tests.toUri().toURL()}, getClass().getClassLoader())) {
            LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                    .selectors(selectClass(loader.loadClass("com.example.paper.PaperGatewayContractTest"))).build(), listener);
        }
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getFailures()).allSatisfy(failure -> assertThat(failure.getException())
                .as(failure.getTestIdentifier().getDisplayName()).isNull());
        assertThat(summary.getTestsSucceededCount()).isGreaterThanOrEqualTo(FEWEST_TESTS);
    }
}
