// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class WrongUsageTest {

    private final StringWriter told = new StringWriter();

    private int call(String command) {
        var line = new CommandLine(new LoadCommand()).setErr(new PrintWriter(told, true)).setOut(new PrintWriter(told, true));
        line.setExecutionExceptionHandler((e, called, parsed) -> {
            told.append(e.getMessage());
            return 2;
        });
        return line.execute(command.split(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"run --rate -1|--rate is -1, but must be from 0.1 to 100000",
        "run --rate NaN|--rate is no number, but must be from 0.1 to 100000", "run --rate 1e9|--rate is 1000000000, but must be",
        "run --duration 0s|--duration is 0", "replay f --topic t --rate 0|--rate is 0, but must be from 0.1 to 100000",
        "chaos --campaigns 0|--campaigns is 0, but must be from 1 to", "chaos --first -3|--first is -3, but must be from 1 to",
        "simulate --seeds 0|--seeds is 0, but must be from 1 to", "simulate --parallel 65|--parallel is 65, but must be from 1 to 64",
        "plants --campaigns 0|--campaigns is 0, but must be from 1 to 1000", "proof --hours 0|--hours is 0, but must be from 0.5 to 1000",
        "attack --crowd -1|--crowd is -1, but must be from 1 to 20000",
        "attack --patience 0|--patience is 0, but must be from 1 to 600",
        "scale --accepts 0 --charges 5|--accepts is 0, but must be from 0.1 to"})
    void a_number_out_of_range_is_refused_with_the_range(String command, String message) {
        assertThat(call(command)).isEqualTo(2);
        assertThat(told.toString().lines().findFirst().orElseThrow()).contains(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {"run --chart nowhere/c.svg|--chart: nowhere/c.svg can't be written",
        "run --history nowhere/h.ndjson|--history: nowhere/h.ndjson can't be written",
        "check --history nothere|there is no file nothere that can be read", "check --log nothere|there is no file nothere",
        "check --tiers 0s|--tiers: each must be longer than 0", "chaos --logs /proc/x|--logs: /proc/x can't be made",
        "keep bug one|a run of kind 'bug' is kept by what runs it: name drill or check",
        "attack --url nonsense|'nonsense' is no address", "attack --log nothere|--log: there is no file nothere"})
    void what_cannot_work_is_told_before_anything_is_done(String command, String message) {
        assertThat(call(command)).isEqualTo(2);
        assertThat(told.toString().lines().findFirst().orElseThrow()).contains(message);
    }

    @Test
    void an_address_that_is_no_simulator_is_refused_as_a_psp() {
        try (var other = HttpListener.start("another service", 0, request -> new HttpAnswer.Full(404, Map.of(), new byte[0]))) {
            String address = "http://127.0.0.1:" + other.port();
            assertThat(call("run --url " + address + " --psp " + address)).isEqualTo(2);
            assertThat(told.toString()).contains(address + " is no PSP's simulator (GET /_sandbox/movements: 404): name one with --psp");
        }
    }
}
