// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.DeliveryBook.Entry;
import io.chargeonce.endpoints.DeliveryBook.Filter;
import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.EndpointJson;
import io.chargeonce.notifications.terminal.MessageListCommand;
import io.chargeonce.terminal.Column;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "deliveries", description = "Lists deliveries, the newest first.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class Deliveries extends MessageListCommand<WebhookCommand> {

    static final List<Column<Entry>> COLUMNS = List.of(Column.whole("WEBHOOK", Entry::webhook),
            Column.whole("EVENT", Entry::event), Column.whole("STATE", Entry::state),
            Column.whole("PAYMENT", entry -> entry.payment().orElse(Column.NONE)), Column.whole("ENDPOINT", Entry::endpoint),
            Column.right("TRIES", entry -> String.valueOf(entry.attempts())),
            Column.whole("LAST ANSWER", entry -> entry.lastError().or(() -> entry.lastStatus().map(String::valueOf)).orElse(Column.NONE)),
            Column.time("NEXT TRY OR END", entry -> entry.endedAt().or(() -> Optional.of(entry.dueAt()))));

    @Option(names = "--endpoint", paramLabel = "ID", description = "Only to this endpoint.")
    Optional<String> endpoint = Optional.empty();

    @Option(names = "--payment", paramLabel = "ID", description = "Only about this payment and its refunds.")
    Optional<String> payment = Optional.empty();

    @Option(names = "--state", paramLabel = "S", description = "Only waiting, delivered or dead ones.")
    Optional<String> state = Optional.empty();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "At most so many. Default: ${DEFAULT-VALUE}.")
    int limit;

    @Override
    public Integer call() {
        check(limit, state, DeliveryBook.STATES);
        var filter = new Filter(endpoint, payment, state, Optional.empty(), Optional.empty());
        return parent.with(books -> list(books.deliveries().list(filter, limit), COLUMNS, EndpointJson::of));
    }
}
