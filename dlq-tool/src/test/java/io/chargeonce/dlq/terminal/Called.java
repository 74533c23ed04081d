// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.PaymentJson;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** What one call of the command line printed and returned. */
record Called(int exit, String out, String err) {

    static Called of(Supplier<DeadLetterQueue> open, String... arguments) {
        return of(open, Called::noKafka, arguments);
    }

    static KafkaConnection noKafka() {
        throw new IllegalStateException("this command needs no Kafka");
    }

    static Called of(Supplier<DeadLetterQueue> open, Supplier<KafkaConnection> kafka, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        CommandLine line = new DlqCommand(open, kafka).commandLine(arguments);
        line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)).setColorScheme(
                CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        return new Called(line.execute(arguments), out.toString(), err.toString());
    }

    List<JsonNode> json() {
        return out.lines().map(PaymentJson.MAPPER::readTree).toList();
    }
}
