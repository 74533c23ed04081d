// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.bench.measure.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PageTest {

    private static final Path ROOT = Path.of("../..");

    private static Properties reasons() throws IOException {
        var reasons = new Properties();
        try (var reader = Files.newBufferedReader(Path.of("misses.properties"))) {
            reasons.load(reader);
        }
        return reasons;
    }

    @Test
    void the_page_of_figures_and_its_charts_are_made_of_the_kept_results() throws IOException {
        var page = new PerformancePage(new Results(Path.of("results")), reasons());
        assertThat(page.render()).isEqualTo(Files.readString(ROOT.resolve("docs/performance.md")));
        assertThat(page.charts()).isNotEmpty().allSatisfy((name, svg) -> assertThat(ROOT.resolve("docs/charts/" + name)).hasContent(svg));
    }

    @Test
    void each_goal_that_is_missed_has_its_reason_and_no_other_has_one() throws IOException {
        var missed =
                Pattern.compile("(?m)^- `(.*?)`: ").matcher(new PerformancePage(new Results(Path.of("results")), reasons()).render())
                        .results().map(goal -> goal.group(1)).toList();
        assertThat(reasons().stringPropertyNames()).containsExactlyInAnyOrderElementsOf(missed);
    }
}
