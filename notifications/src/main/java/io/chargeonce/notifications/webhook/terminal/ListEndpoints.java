// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.EndpointJson;
import io.chargeonce.endpoints.EndpointTable.Endpoint;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "list", description = "Lists endpoints.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class ListEndpoints implements Callable<Integer> {

    static final List<Column<Endpoint>> COLUMNS = List.of(Column.whole("ENDPOINT", Endpoint::id),
            Column.whole("MERCHANT", Endpoint::merchant), Column.whole("STATE", endpoint -> endpoint.state().replace('_', ' ')),
            Column.right("SECRETS", endpoint -> String.valueOf(endpoint.secrets())), Column.whole("URL", Endpoint::url),
            Column.whole("EVENTS", endpoint -> String.join(",", endpoint.events())),
            Column.time("ADDED", endpoint -> Optional.of(endpoint.createdAt())));

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
            List<Endpoint> endpoints = books.endpoints().list(merchant);
            if (json) {
                endpoints.forEach(endpoint -> WebhookCommand.say(spec, json(endpoint)));
            } else {
                Table.withEveryColumn(Screen.of(spec), COLUMNS).print(endpoints);
            }
            return 0;
        });
    }

    private static String json(Endpoint endpoint) {
        return new String(PaymentJson.write(EndpointJson.of(endpoint)), StandardCharsets.UTF_8);
    }
}
