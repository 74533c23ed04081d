// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CombinedTest {

    private static final JsonMapper JSON = new JsonMapper();

    private static JsonNode run(int rate, int cpu, String more) {
        return JSON.readTree("""
                {"rounds":[%1$d],"payments_per_s":%1$d,"cpu_us_per_payment":%2$d%3$s,"against":{}}""".formatted(rate, cpu, more));
    }

    @Test
    void a_share_that_an_older_run_did_not_count_is_that_of_the_others() {
        JsonNode both = Combined.of(List.of(run(100, 10, ""), run(200, 30, ", \"postgres_us_per_payment\":7")));
        assertThat(both.path("payments_per_s").asInt()).isEqualTo(150);
        assertThat(both.path("cpu_us_per_payment").asDouble()).isEqualTo(20);
        assertThat(both.path("postgres_us_per_payment").asDouble()).isEqualTo(7);
    }

    @Test
    void a_run_with_load_and_psp_in_its_processor_time_is_not_mixed_with_one_without() {
        JsonNode last = Combined.of(List.of(run(100, 900, ""), run(200, 400, ",\"outside_us_per_payment\":250")));
        assertThat(last.path("payments_per_s").asInt()).isEqualTo(200);
        assertThat(last.path("cpu_us_per_payment").asDouble()).isEqualTo(400);
        assertThat(last.path("outside_us_per_payment").asDouble()).isEqualTo(250);
    }
}
