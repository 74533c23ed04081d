// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WrongUsageTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"ingest --connections 0|--connections is 0, but must be from 1 to 10000",
        "ingest --repeated 101|--repeated is 101, but must be from 0 to 100",
        "charge --rounds -1|--rounds is -1, but must be from 1 to 1000",
        "charge --against sprung|--against: there is no 'sprung'; there are ", "charge --run-time 0|--run-time is 0",
        "end-to-end --against composite|--against: there is no 'composite'; there are spring, spring-async",
        "latency --payments 0|--payments is 0, but must be from 10 to", "cost --payments -5|--payments is -5, but must be from 100 to",
        "poison --rate NaN|--rate is no number, but must be from 1 to 100000",
        "fairness --seconds 0|--seconds is 0, but must be from 1 to 3600",
        "backlog --against x|--against: there is no 'x'", "dlq --launcher nothere|--launcher: there is no program nothere",
        "years --settled 1|--settled is 1, but must be from 1000 to",
        "relay --rounds 0|--rounds is 0", "report --results nothere|there is no nothere"})
    void wrong_usage_is_refused_in_one_line_before_anything_is_measured(String command, String message) {
        var told = new StringWriter();
        var line = BenchCommand.line().setErr(new PrintWriter(told, true)).setOut(new PrintWriter(told, true));
        assertThat(line.execute(command.split(" "))).isEqualTo(2);
        assertThat(told.toString().lines().findFirst().orElseThrow()).contains(message);
    }
}
