// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Migrations;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

class RunCommandTest {

    @TempDir
    Path directory;

    private final StringWriter told = new StringWriter();

    /** Against a server that answers everything alike; the report as JSON comes last, on a line of its own. */
    private int run(int status, String body, String duration, String... more) {
        var answer = new HttpAnswer.Full(status, Map.of(), body.getBytes(StandardCharsets.UTF_8));
        try (var server = HttpListener.start("an ingest service", 0, request -> answer)) {
            var arguments = new ArrayList<>(List.of("run", "--url", "http://127.0.0.1:" + server.port(), "--rate", "50", "--duration",
                    duration,
                    "--history", directory.resolve("history.ndjson").toString(), "--chart", directory.resolve("chart.svg").toString()));
            arguments.addAll(List.of(more));
            return new CommandLine(new LoadCommand()).setOut(new PrintWriter(told, true)).setErr(new PrintWriter(new StringWriter()))
                    .execute(arguments.toArray(String[]::new));
        }
    }

    @Test
    void what_warms_up_is_in_the_history_and_not_in_the_report() throws Exception {
        assertThat(run(202, "{\"id\":\"pay_1\"}", "1s", "--warm-up", "1s", "--json")).isZero();

        // A few of them are refunded too, and that is in the history besides.
        assertThat(Files.readAllLines(directory.resolve("history.ndjson")).stream().filter(line -> line.contains("\"payment_method\"")))
                .hasSize(100);
        assertThat(new JsonMapper().readTree(told.toString()).path("accepted").asInt()).isEqualTo(50);
    }

    @Test
    void the_progress_tells_what_waits_in_tiers_and_what_is_dead() {
        String database = TestStack.newDatabase();
        Migrations.apply(database, "postgres", "");
        assertThat(run(202, "{\"id\":\"pay_1\"}", "3s", "--database", database)).isZero();

        assertThat(told.toString()).containsPattern("p50 .* p99 .* unanswered 0 +in tiers 0 +unknown 0 +dead 0");
    }

    @Test
    void where_nothing_is_accepted_the_answer_is_no_and_the_report_says_why() {
        assertThat(run(401, "{\"type\":\"urn:chargeonce:problem:unauthenticated\"}", "1s", "--json")).isEqualTo(1);

        assertThat(new JsonMapper().readTree(told.toString()).path("refusals").path("401 unauthenticated").asInt()).isEqualTo(50);
    }
}
