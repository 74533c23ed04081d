// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.app.Launcher;
import io.chargeonce.app.Logs;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.testkit.CardPipeline;
import io.chargeonce.testkit.SandboxMerchants;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

@Command(name = "up", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Runs everything on this machine until Ctrl-C: Kafka, Postgres, simulators of Stripe and Adyen, a bank, and all "
                + "services.",
        footer = {"", "Example: keep everything between runs.", "  chargeonce up --data ./data"})
final class UpCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--data", paramLabel = "DIR", description = "Keep everything in this directory between runs. Default: a temporary one.")
    Optional<Path> data = Optional.empty();

    @Option(names = "--tiers", defaultValue = "5s,1m,10m", paramLabel = "D", split = ",", converter = DurationOption.class,
            description = "How long each retry tier delays, shortest first, 1 to 9 of them. Default: ${DEFAULT-VALUE}.")
    List<Duration> tiers;

    @Mixin
    Ports ports = new Ports();

    @Override
    public Integer call() throws InterruptedException {
        var problems = new InputProblems();
        ports.problems(data.map(Foundations::postgresIn)).forEach(problems::add);
        DataDirectory.problem(data).ifPresent(problems::add);
        if (problems.any()) {
            return problems.print(spec);
        }
        var out = spec.commandLine().getOut();
        out.println("Starting Kafka, Postgres, both PSP simulators, a mail server and all services …");
        out.flush();
        long start = System.nanoTime();
        try (var pipeline = LocalPipeline.start(data, ports, CardPipeline.Pace.usual(tiers))) {
            print(out, pipeline, Duration.ofNanos(System.nanoTime() - start));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> sayThatItStops(out), "up-stops"));
            pipeline.awaitShutdown();
        }
        return 0;
    }

    private void print(PrintWriter out, LocalPipeline pipeline, Duration took) {
        var foundations = pipeline.foundations;
        List<String> exports = Exports.of(pipeline);
        out.printf("""
                Up after %.1f s.

                  payments          http://127.0.0.1:%d/v1/payments
                    tokens          %s, %s
                  console           http://127.0.0.1:%d
                    sign in with    %s
                  Stripe simulator  %s
                    its ledger      %s/_sandbox/movements
                  Adyen simulator   %s
                    its ledger      http://127.0.0.1:%d/_sandbox/movements
                  Kafka             %s
                  Postgres          %s
                  bank              sftp %s@127.0.0.1:%d, password in %s
                    its ledger      http://127.0.0.1:%d/_sandbox/movements
                  receipts          smtp 127.0.0.1:%d, read by imap 127.0.0.1:%d
                  health            http://127.0.0.1:%d/health/ready
                  metrics           http://127.0.0.1:%d/metrics
                  data              %s
                  data key          %s
                  log               %s

                Send a payment from another terminal:

                  curl -si http://127.0.0.1:%d/v1/payments \\
                    -H 'Authorization: Bearer %s' -H 'Idempotency-Key: order-1' \\
                    -H 'Content-Type: application/json' \\
                    -d '{"amount": 1299, "currency": "EUR", "payment_method": "pm_card_visa"}'

                Hints say 'chargeonce'. This makes it found:

                  export PATH=%s:$PATH

                The other commands find this pipeline by themselves at the usual ports.
                At other ports they need the first of these lines, and with a key the second:
                to add webhooks and mandates, to open poison, to ask Stripe.

                %s
                %s

                What can go wrong at a PSP, and how to set it:

                  curl %s/_sandbox

                Ctrl-C stops everything.
                """, took.toMillis() / 1000.0, pipeline.ingestPort, SandboxMerchants.ACME_TOKEN, SandboxMerchants.GLOBEX_TOKEN,
                pipeline.consolePort, LocalPeople.tokens(),
                foundations.stripe().apiBase(), foundations.stripe().apiBase(), foundations.adyen().apiBase(), foundations.adyen().port(),
                foundations.kafka().bootstrapServers(), foundations.postgres().jdbcUrl(), foundations.bank().user(),
                foundations.bank().port(), foundations.bank().passwordFile(), foundations.bank().adminPort(), foundations.mail().port(),
                foundations.mail().imapPort(), pipeline.adminPort, pipeline.adminPort,
                data.map(Path::toString).orElse("temporary, gone when it stops (--data keeps it)"), foundations.dataKey(), Logs.shown(),
                pipeline.ingestPort, SandboxMerchants.ACME_TOKEN, Launcher.folder(), exports.getFirst(), exports.getLast(),
                foundations.stripe().apiBase());
        out.flush();
    }

    private void sayThatItStops(PrintWriter out) {
        out.printf("%nStopping. %s%n", data.map(kept -> "The data stays in %s.".formatted(kept)).orElse("The data goes with it."));
        out.flush();
    }

    /** A duration on the command line, in the form that settings have: {@code 250ms}, {@code 5s}, {@code 1m}. */
    private static final class DurationOption implements ITypeConverter<Duration> {

        @Override
        public Duration convert(String text) {
            try {
                return PipelineSettings.TIERS.parse(text).getFirst();
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is not a duration; write one like 250ms, 5s or 1m");
            }
        }
    }
}
