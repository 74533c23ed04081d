// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.endpoints.DeliveryBook.Entry;
import io.chargeonce.endpoints.DeliveryBook.Filter;
import io.chargeonce.endpoints.EndpointJson;
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
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "deliveries", description = "Lists deliveries, the newest first.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class Deliveries implements Callable<Integer> {

    static final List<Column<Entry>> COLUMNS = List.of(Column.whole("WEBHOOK", Entry::webhook),
            Column.whole("EVENT", Entry::event), Column.whole("STATE", Entry::state),
            Column.whole("PAYMENT", entry -> entry.payment().orElse(Column.NONE)), Column.whole("ENDPOINT", Entry::endpoint),
            Column.right("TRIES", entry -> String.valueOf(entry.attempts())),
            Column.whole("LAST ANSWER", entry -> entry.lastError().or(() -> entry.lastStatus().map(String::valueOf)).orElse(Column.NONE)),
            Column.time("NEXT TRY OR END", entry -> entry.endedAt().or(() -> Optional.of(entry.dueAt()))));

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
            List<Entry> entries = books.deliveries().list(new Filter(endpoint, payment, state, Optional.empty(), Optional.empty()), limit);
            if (json) {
                entries.forEach(entry -> WebhookCommand.say(spec, json(entry)));
            } else {
                Table.withEveryColumn(Screen.of(spec), COLUMNS).print(entries);
            }
            return 0;
        });
    }

    static String json(Entry entry) {
        return new String(PaymentJson.write(EndpointJson.of(entry)), StandardCharsets.UTF_8);
    }
}
