// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.EndpointJson;
import io.chargeonce.endpoints.EndpointTable.Endpoint;
import io.chargeonce.notifications.terminal.MessageListCommand;
import io.chargeonce.terminal.Column;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists endpoints.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class ListEndpoints extends MessageListCommand<WebhookCommand> {

    static final List<Column<Endpoint>> COLUMNS = List.of(Column.whole("ENDPOINT", Endpoint::id),
            Column.whole("MERCHANT", Endpoint::merchant), Column.whole("STATE", endpoint -> endpoint.state().replace('_', ' ')),
            Column.right("SECRETS", endpoint -> String.valueOf(endpoint.secrets())), Column.whole("URL", Endpoint::url),
            Column.whole("EVENTS", endpoint -> String.join(",", endpoint.events())),
            Column.time("ADDED", endpoint -> Optional.of(endpoint.createdAt())));

    @Option(names = "--merchant", paramLabel = "M", description = "Only this merchant's.")
    Optional<String> merchant = Optional.empty();

    @Override
    public Integer call() {
        return parent.with(books -> list(books.endpoints().list(merchant), COLUMNS, EndpointJson::of));
    }
}
