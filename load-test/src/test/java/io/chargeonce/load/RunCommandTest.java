package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

class RunCommandTest {

    @TempDir
    Path directory;

    private final StringWriter told = new StringWriter();

    @Test
    void what_warms_up_is_in_the_history_and_not_in_the_report() throws Exception {
        Path history = directory.resolve("history.ndjson");
        var answer = new HttpAnswer.Full(202, Map.of(), "{\"id\":\"pay_1\"}".getBytes(StandardCharsets.UTF_8));
        try (var server = HttpListener.start("an ingest service", 0, request -> answer)) {
            int status = new CommandLine(new LoadCommand()).setOut(new PrintWriter(told, true)).setErr(new PrintWriter(new StringWriter()))
                    .execute("run", "--url", "http://127.0.0.1:" + server.port(), "--rate", "50", "--warm-up", "1s", "--duration", "1s",
                            "--history", history.toString(), "--chart", directory.resolve("chart.svg").toString(), "--json");
            assertThat(status).isZero();
        }
        assertThat(Files.readAllLines(history)).hasSize(100);
        assertThat(new JsonMapper().readTree(told.toString()).path("accepted").asInt()).isEqualTo(50);
    }
}
