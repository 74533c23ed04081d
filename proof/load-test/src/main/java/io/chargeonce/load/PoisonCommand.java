// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.poison.CorpusRecord;
import io.chargeonce.load.poison.PoisonCorpus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(name = "poison", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Writes records that can never become a payment to a file, one of every kind: undecodable, misplaced, forged, "
                + "oversized.",
        footer = {"", "Example:", "  chargeonce load poison poison.ndjson",
            "  chargeonce load replay poison.ndjson --topic payments.requests"})
final class PoisonCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "Is overwritten.")
    Path file;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N",
            description = "For the random bytes among them. Default: ${DEFAULT-VALUE}.")
    long seed;

    @Override
    public Integer call() {
        List<CorpusRecord> corpus = PoisonCorpus.of(new Random(seed));
        try {
            Files.write(file, corpus.stream().map(CorpusRecord::toLine).toList());
        } catch (IOException e) {
            throw new UncheckedIOException("%s can't be written: name a file in a folder that exists".formatted(file), e);
        }
        spec.commandLine().getOut().printf("%d records, each of another kind, in %s%n", corpus.size(), file);
        return 0;
    }
}
