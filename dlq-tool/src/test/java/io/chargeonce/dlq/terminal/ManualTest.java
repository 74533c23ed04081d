// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.chargeonce.dlq.DeadLetterQueue;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ManualTest {

    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");

    @Test
    void every_command_has_a_manual_with_examples_and_exit_codes() {
        for (String command : line().getSubcommands().values().stream().map(CommandLine::getCommandName).collect(Collectors.toSet())) {
            Called help = Called.of(ManualTest::noQueue, command, "--help");
            assertThat(help.exit()).isZero();
            assertThat(help.out()).contains("SYNOPSIS\n  dlq " + command, "DESCRIPTION", "OPTIONS", "EXAMPLES", "chargeonce dlq " + command)
                    .containsPattern("EXIT CODES\n +0 +fine").contains("Postgres or Kafka can't be reached");
        }
        assertThat(Called.of(ManualTest::noQueue, "runs", "show", "--help").out()).contains("SYNOPSIS\n  dlq runs show",
                "1   there is no such run", "EXAMPLES");
        assertThat(Called.of(ManualTest::noQueue, "--help").out()).contains("COMMANDS", "3     Postgres or Kafka can't be reached",
                "130   stopped by Ctrl-C");
    }

    @Test
    void every_example_in_a_manual_is_understood_and_fits_eighty_columns() {
        List<String> lines = examples(line()).toList();
        assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        List<String> calls = lines.stream().filter(line -> line.contains("chargeonce dlq ")).toList();
        assertThat(calls).hasSizeGreaterThan(20).allSatisfy(call -> {
            String[] words = WORD.matcher(call.replaceFirst(".*chargeonce dlq ", "").replace(")", "")).results()
                    .map(word -> word.group().replace("\"", "")).toArray(String[]::new);
            assertThatCode(() -> line().parseArgs(words)).doesNotThrowAnyException();
        });
    }

    private static Stream<String> examples(CommandLine line) {
        return Stream.concat(Stream.of(line.getCommandSpec().usageMessage().footer()),
                line.getSubcommands().values().stream().flatMap(ManualTest::examples));
    }

    private static CommandLine line() {
        return new DlqCommand(ManualTest::noQueue, Called::noKafka).commandLine();
    }

    private static DeadLetterQueue noQueue() {
        throw new IllegalStateException("a manual needs no queue");
    }
}
