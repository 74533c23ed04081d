// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks.terminal;

import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.DeliveryBook.Entry;
import io.chargeonce.endpoints.DeliveryBook.Filter;
import io.chargeonce.endpoints.EndpointJson;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "deliveries", description = "Lists deliveries, the newest first.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class Deliveries implements Callable<Integer> {

    private static final String LINE = "%-36s  %-28s  %-20s  %-30s  %-9s  %5s  %-24s  %s";

    @ParentCommand
    WebhookCommand webhooks;

    @Spec
    CommandSpec spec;

    @Option(names = "--endpoint", paramLabel = "ID", description = "Only to this endpoint.")
    Optional<String> endpoint = Optional.empty();

    @Option(names = "--payment", paramLabel = "ID", description = "Only about this payment and its refunds.")
    Optional<String> payment = Optional.empty();

    @Option(names = "--state", paramLabel = "S", description = "Only waiting, delivered or dead ones.")
    Optional<String> state = Optional.empty();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "At most so many. Default: ${DEFAULT-VALUE}.")
    int limit;

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    @Override
    public Integer call() {
        if (limit < 1 || limit > 1_000_000 || state.filter(given -> !DeliveryBook.STATES.contains(given)).isPresent()) {
            throw new ParameterException(spec.commandLine(),
                    "--limit must be from 1 to 1,000,000, and --state one of " + DeliveryBook.STATES);
        }
        return webhooks.with(books -> {
            if (!json) {
                WebhookCommand.say(spec, LINE.formatted("webhook", "endpoint", "event", "payment", "state", "tries", "last answer",
                        "next try or end"));
            }
            books.deliveries().list(new Filter(endpoint, payment, state, Optional.empty(), Optional.empty()), limit)
                    .forEach(entry -> WebhookCommand.say(spec, json ? json(entry) : line(entry)));
            return 0;
        });
    }

    private static String line(Entry entry) {
        return LINE.formatted(entry.webhook(), entry.endpoint(), entry.event(), entry.payment().orElse(""), entry.state(),
                entry.attempts(), entry.lastError().or(() -> entry.lastStatus().map(String::valueOf)).orElse(""),
                entry.endedAt().orElse(entry.dueAt()));
    }

    static String json(Entry entry) {
        return new String(PaymentJson.write(EndpointJson.of(entry)), StandardCharsets.UTF_8);
    }
}
