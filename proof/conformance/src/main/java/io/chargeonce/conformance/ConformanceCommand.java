// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

@Command(name = "conformance", usageHelpAutoWidth = true, mixinStandardHelpOptions = true, sortOptions = false,
        description = "Tests from outside whether a server keeps what an Idempotency-Key promises. It sends some real requests there.",
        footer = {"",
            "Exit 0: every rule of safety is kept; 1: one is broken; 2: wrong usage, or not such a server; 3: the server can't be reached.",
            "",
            "Example: any other server", "  chargeonce conformance --url https://api.example.com/orders --token T --body order.json"})
public final class ConformanceCommand implements Callable<Integer> {

    private static final int BROKEN = 1;
    private static final int USAGE = 2;
    private static final int UNREACHABLE = 3;

    @Spec
    CommandSpec spec;

    @Option(names = "--url", paramLabel = "URL", required = true,
            description = "The endpoint that takes POST. Without a path: that of a Chargeonce server.")
    String url;

    @Option(names = "--token", paramLabel = "T", required = true, description = "Sent as Authorization: Bearer.")
    String token;

    @Option(names = "--other-token", paramLabel = "T",
            description = "A token of another tenant, to test that each tenant has its own keys.")
    Optional<String> otherToken;

    @Option(names = "--other-url", paramLabel = "URL",
            description = "Another endpoint that takes POST, to test that it refuses a key of the first one. {location} in it stands for "
                    + "the "
                    + "Location in the answer to the first request.")
    Optional<String> otherUrl;

    @Option(names = "--mismatch-status", paramLabel = "409|422", defaultValue = "409",
            description = "The status with which the server refuses a key that comes with another request. Default: ${DEFAULT-VALUE}.")
    int mismatchStatus;

    @Option(names = "--body", paramLabel = "FILE",
            description = "A file with a JSON object that the endpoint accepts. Each trial replaces {unique} in it by a new text.")
    Optional<Path> body;

    @Option(names = "--json", description = "Print JSON: one line a rule, then the totals.")
    boolean json;

    @Override
    public Integer call() {
        try {
            ConformanceReport report =
                    Conformance.of(new TriedServer(TriedServer.endpoint(url), token, otherToken, otherUrl, body(), mismatchStatus));
            print(report);
            return report.isSafe() ? 0 : BROKEN;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        } catch (NotTriable e) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(spec.qualifiedName(" ") + ": " + e.getMessage());
            err.flush();
            return e.isUnreachable() ? UNREACHABLE : USAGE;
        }
    }

    private String body() {
        try {
            return body.isPresent() ? Files.readString(body.get()) : TriedServer.PAYMENT;
        } catch (IOException e) {
            throw new IllegalArgumentException("the file " + body.get() + " can't be read", e);
        }
    }

    private void print(ConformanceReport report) {
        PrintWriter out = spec.commandLine().getOut();
        var sum = Map.of("safe", report.isSafe(), "kept", report.count("kept"), "broken", report.count("broken"),
                "skipped", report.count("skipped"));
        if (json) {
            var mapper = new JsonMapper();
            report.lines().forEach(line -> out.println(mapper.writeValueAsString(line.toMap())));
            out.println(mapper.writeValueAsString(sum));
        } else {
            report.lines().forEach(line -> out.println(line.text()));
            out.printf("%n%d kept, %d broken, %d skipped: %s%n", report.count("kept"), report.count("broken"), report.count("skipped"),
                    report.isSafe() ? "a client can rely on it" : "a client cannot rely on it");
        }
        out.flush();
    }
}
