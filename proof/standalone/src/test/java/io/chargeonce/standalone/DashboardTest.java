// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What can be said of a dashboard without Grafana. {@link LeastPrivilegeTest} checks that its metrics exist. */
class DashboardTest {

    private static final Path GRAFANA = Repository.root().resolve("deploy/monitoring/grafana");
    private static final int COLUMNS = 24;

    @Test
    void panels_lie_beside_each_other_and_each_asks_a_source_that_the_reader_can_choose() throws IOException {
        JsonNode dashboard = new JsonMapper().readTree(Files.readString(GRAFANA.resolve("pipeline.json")));
        assertThat(dashboard.get("uid").asString()).isNotBlank();
        List<JsonNode> variables = dashboard.get("templating").get("list").valueStream().toList();
        assertThat(variables).singleElement().satisfies(variable -> {
            assertThat(variable.get("name").asString()).isEqualTo("datasource");
            assertThat(Files.readString(GRAFANA.resolve("datasource.yaml"))).contains("type: " + variable.get("query").asString());
        });
        Set<Integer> ids = new HashSet<>();
        Set<List<Integer>> taken = new HashSet<>();
        dashboard.get("panels").forEach(panel -> {
            assertThat(ids.add(panel.get("id").asInt())).as("%s has an id of its own", panel.get("title")).isTrue();
            assertThat(panel.get("type").asString()).isIn("row", "timeseries");
            lay(panel, taken);
            if (panel.get("type").asString().equals("timeseries")) {
                assertThat(panel.get("datasource").get("uid").asString()).isEqualTo("${datasource}");
                List<String> names = panel.get("targets").valueStream().map(target -> target.get("refId").asString()).toList();
                assertThat(names).isNotEmpty().doesNotHaveDuplicates();
                assertThat(panel.get("targets").valueStream()).allSatisfy(target -> assertThat(target.get("expr").asString()).isNotBlank());
            }
        });
    }

    private static void lay(JsonNode panel, Set<List<Integer>> taken) {
        JsonNode place = panel.get("gridPos");
        assertThat(place.get("x").asInt() + place.get("w").asInt()).isLessThanOrEqualTo(COLUMNS);
        for (int x = place.get("x").asInt(); x < place.get("x").asInt() + place.get("w").asInt(); x++) {
            for (int y = place.get("y").asInt(); y < place.get("y").asInt() + place.get("h").asInt(); y++) {
                assertThat(taken.add(List.of(x, y))).as("%s lies on another panel", panel.get("title")).isTrue();
            }
        }
    }
}
