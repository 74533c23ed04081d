// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

/** What the browser shows, in light and dark and on a wide and a narrow screen: it keeps no one out, and some of it is kept as pictures. */
final class Looks {

    /** Few and small, for the documentation. */
    private static final List<String> WIDE = List.of("overview", "dead-letters", "payment", "plan", "psps", "pause", "purged", "rates",
            "run-stopped");
    private static final List<String> NARROW = List.of("overview", "dead-letters", "pause", "purged", "run-stopped");
    private static final List<String> DARK = List.of("overview", "rates");

    private Looks() {}

    static void each(Browser browser, String name) throws Exception {
        for (boolean dark : List.of(false, true)) {
            browser.dark(dark);
            for (int width : List.of(Browser.WIDE, Browser.NARROW)) {
                browser.width(width);
                assertThat(Axe.violations(browser)).as("%s, dark %s, %d wide", name, dark, width).isEmpty();
                assertThat(browser.scrollsSideways()).as("%s at %d scrolls sideways", name, width).isFalse();
                keep(browser, name, dark, width);
            }
        }
        browser.dark(false);
        browser.width(Browser.WIDE);
    }

    private static void keep(Browser browser, String name, boolean dark, int width) throws Exception {
        String folder = System.getProperty("chargeonce.screenshots", "");
        List<String> kept = width == Browser.NARROW ? dark ? List.of() : NARROW : dark ? DARK : WIDE;
        if (!folder.isEmpty() && kept.contains(name)) {
            Picture.write(browser.screenshot(), Path.of(folder, "%s-%d%s.png".formatted(name, width, dark ? "-dark" : "")));
        }
    }
}
