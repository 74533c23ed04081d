// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks.terminal;

import io.chargeonce.endpoints.EndpointJson;
import io.chargeonce.endpoints.EndpointBook.Endpoint;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "list", description = "Lists endpoints.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class ListEndpoints implements Callable<Integer> {

    private static final String LINE = "%-28s  %-16s  %-22s  %7s  %-28s  %-24s  %s";

    @ParentCommand
    WebhookCommand webhooks;

    @Spec
    CommandSpec spec;

    @Option(names = "--merchant", paramLabel = "M", description = "Only this merchant's.")
    Optional<String> merchant = Optional.empty();

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    @Override
    public Integer call() {
        return webhooks.with(books -> {
            if (!json) {
                WebhookCommand.say(spec, LINE.formatted("endpoint", "merchant", "state", "secrets", "added", "events", "url"));
            }
            books.endpoints().list(merchant).forEach(endpoint -> WebhookCommand.say(spec, json ? json(endpoint) : line(endpoint)));
            return 0;
        });
    }

    private static String line(Endpoint endpoint) {
        return LINE.formatted(endpoint.id(), endpoint.merchant(), endpoint.state().replace('_', ' '), endpoint.secrets(),
                endpoint.createdAt(),
                String.join(",", endpoint.events()), endpoint.url());
    }

    private static String json(Endpoint endpoint) {
        return new String(PaymentJson.write(EndpointJson.of(endpoint)), StandardCharsets.UTF_8);
    }
}
