// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.chargeonce.sandbox.CompiledJar;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The example of a shop is no module of ours. Its tests run here as its own build runs them. */
class ShopExampleTest {

    private static final Path EXAMPLE = Path.of("../../examples/testkit-shop/src");

    @TempDir
    Path directory;

    @Test
    void the_page_about_the_kit_shows_what_it_does() throws IOException {
        String page = Files.readString(Path.of("../../docs/testing-with-chargeonce.md"));
        String test = Files.readString(EXAMPLE.resolve("test/java/com/example/shop/ShopTest.java"));
        assertThat(test.lines().filter(line -> line.contains("\"order-1\"") || line.contains("chargeonce = ")).map(String::strip))
                .hasSizeGreaterThan(2).allSatisfy(line -> assertThat(page).contains(line));
    }

    @Test
    void its_tests_pass() throws Exception {
        Path shop = CompiledJar.of(directory.resolve("shop.jar"), EXAMPLE.resolve("main"));
        Path tests = CompiledJar.of(directory.resolve("tests.jar"), EXAMPLE.resolve("test"), shop);
        var listener = new SummaryGeneratingListener();
        try (var loader = new URLClassLoader(new URL[] {shop.toUri().toURL(), tests.toUri().toURL()}, getClass().getClassLoader())) {
            LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                    .selectors(selectClass(loader.loadClass("com.example.shop.ShopTest"))).build(), listener);
        }
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getFailures()).allSatisfy(failure -> assertThat(failure.getException())
                .as(failure.getTestIdentifier().getDisplayName()).isNull());
        assertThat(summary.getTestsSucceededCount()).isEqualTo(3);
    }
}
