// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class GoalTest {

    private static Goal goal(String id) {
        return Goal.all().stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
    }

    private static double figure(String id, String result) {
        return goal(id).figure().applyAsDouble(new JsonMapper().readTree(result));
    }

    @Test
    void each_goal_has_an_id_of_its_own() {
        assertThat(Goal.all()).extracting(Goal::id).doesNotHaveDuplicates();
    }

    @Test
    void postgres_has_a_goal_of_its_own_in_charging_and_ingest() {
        String result = "{\"cpu_us_per_payment\":149,\"postgres_us_per_payment\":60}";
        assertThat(goal("charge-20ms/cpu").isMetBy(figure("charge-20ms/cpu", result))).isFalse();
        assertThat(goal("charge-20ms/postgres").isMetBy(figure("charge-20ms/postgres", result))).isTrue();
        assertThat(goal("ingest-64-0/cpu").isMetBy(figure("ingest-64-0/cpu", result))).isTrue();
        assertThat(goal("ingest-64-0/postgres").isMetBy(figure("ingest-64-0/postgres", result))).isFalse();
    }

    @Test
    void what_a_run_did_not_measure_is_no_figure() {
        assertThat(figure("ingest-64-0/postgres", "{\"cpu_us_per_payment\":149}")).isNaN();
        assertThat(figure("end-to-end/spring-async-cpu", "{\"against\":{\"spring-async\":{\"ratio\":1.04}}}")).isNaN();
        assertThat(figure("end-to-end/spring-async-cpu", "{\"against\":{\"spring-async\":{\"cpu_ratio\":1.6}}}")).isEqualTo(1.6);
    }
}
