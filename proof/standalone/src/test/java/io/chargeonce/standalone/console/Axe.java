// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a page does against people who see, hear or move differently, as far as a program can tell. */
final class Axe {

    private static final String SCRIPT = script();
    private static final String RUN = """
            const done = arguments[arguments.length - 1];
            axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations.map((violation) =>
              `${violation.id}: ${violation.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')}`)));
            """;

    private Axe() {}

    private static String script() {
        try (var resource = Axe.class.getResourceAsStream("/axe/axe.min.js")) {
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    static List<String> violations(Browser browser) {
        browser.run("if (!window.axe) { " + SCRIPT + " }");
        return (List<String>) browser.await(RUN);
    }
}
