// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.option.Range;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.load.poison.CorpusRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

@Command(name = "replay", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Puts the records of a file on a topic, byte for byte: a poison corpus, what 'dlq export' wrote, or any recording "
                + "with key and value in base64.",
        footer = {"", "Example: everything that is dead comes again, and nothing of it may be charged twice.",
            "  chargeonce dlq export dead.ndjson --unmasked --reason test",
            "  chargeonce load replay dead.ndjson --topic payments.requests --rate 50"})
final class ReplayCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Mixin
    PipelineOptions pipeline = new PipelineOptions();

    @Parameters(paramLabel = "FILE", description = "One record a line, as 'load poison' or 'dlq export' writes them.")
    Path file;

    @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "Where they go.")
    String topic;

    @Option(names = "--rate", defaultValue = "100", paramLabel = "N",
            description = "Records a second, from 0.1 to 100000. Default: ${DEFAULT-VALUE}.")
    double rate;

    @Option(names = "--json", description = "Print the result as one line of JSON.")
    boolean json;

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private int begun;

    /** 0 if the broker took them all, else 1. */
    @Override
    public Integer call() throws IOException {
        new Range(0.1, 100_000).require(spec, "--rate", rate);
        if (!Files.isReadable(file)) {
            throw new ParameterException(spec.commandLine(), "there is no file %s that can be read".formatted(file));
        }
        Reachable.topic(pipeline.connection(), topic);
        try (var producer = new ProducerSettings(pipeline.connection(), "load-replay").newProducer();
             var lines = Files.newBufferedReader(file)) {
            long start = System.nanoTime();
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (!line.isBlank()) {
                    awaitTurn(start);
                    send(producer, line, number);
                }
            }
        }
        var out = spec.commandLine().getOut();
        out.println(json ? new JsonMapper().writeValueAsString(Map.of("topic", topic, "sent", sent.get(), "refused", refused.get()))
                : "%s on %s%s".formatted(sent.get() == 1 ? "1 record is" : sent.get() + " records are", topic,
                        refused.get() == 0 ? "" : "; the broker refused " + refused + ", and the log says why"));
        out.flush();
        return refused.get() == 0 ? 0 : 1;
    }

    /** Each record has its time, however long the broker took for the last one. */
    private void awaitTurn(long start) {
        long intended = start + Math.round(begun++ * 1e9 / rate);
        for (long left = intended - System.nanoTime(); left > 0; left = intended - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void send(Producer<byte[], byte[]> producer, String line, int number) {
        CorpusRecord record;
        try {
            record = CorpusRecord.fromLine(line);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("line %d of %s is no record: %s".formatted(number, file,
                    String.valueOf(e.getMessage()).lines().findFirst().orElse("")), e);
        }
        producer.send(record.on(topic), (told, refusal) -> {
            if (refusal == null) {
                sent.incrementAndGet();
            } else {
                refused.incrementAndGet();
                LoggerFactory.getLogger(ReplayCommand.class).warn("The broker refused line {} of {}: {}", number, file,
                        refusal.getMessage());
            }
        });
    }
}
