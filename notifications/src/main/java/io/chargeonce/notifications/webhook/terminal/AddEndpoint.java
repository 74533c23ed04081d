// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.notifications.terminal.MessageCommand;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand.Books;
import java.util.LinkedHashMap;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "add", description = "Adds an endpoint of a merchant and prints its secret once.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class AddEndpoint extends MessageCommand<WebhookCommand> {

    @Option(names = "--merchant", required = true, paramLabel = "M", description = "Its id.")
    String merchant;

    @Option(names = "--url", required = true, paramLabel = "URL", description = "Where its events are sent: an https address.")
    String url;

    @Option(names = "--events", split = ",", paramLabel = "LIST", defaultValue = EndpointTable.ALL_EVENTS,
            description = "Types of events, such as payment.succeeded,refund.succeeded. Default: all.")
    List<String> events;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Override
    public Integer call() {
        List<String> unknown = events.stream()
                .filter(event -> !event.equals(EndpointTable.ALL_EVENTS) && !EndpointTable.EVENTS.contains(event)).toList();
        if (!unknown.isEmpty()) {
            throw wrong("--events has '%s', but may have only * and %s".formatted(String.join("', '", unknown),
                    String.join(", ", EndpointTable.EVENTS)));
        }
        return parent.change(this, this::add);
    }

    private int add(Books books) {
        try {
            books.addresses().checked(url);
        } catch (IllegalArgumentException wrong) {
            return refuse(USAGE, "--url is '%s', but %s".formatted(url, wrong.getMessage()));
        }
        var added = books.endpoints().add(merchant, url, events.stream().distinct().toList());
        return added.made().map(endpoint -> shown(this, endpoint, json)).orElseGet(() -> refuse(NO,
                added.change() == EndpointTable.Change.TOO_MANY
                        ? "this merchant has %d endpoints, which is the most: remove one that it no longer needs"
                                .formatted(EndpointTable.MOST_OF_A_MERCHANT)
                        : "there is no merchant with that id: see chargeonce merchant list"));
    }

    static int shown(MessageCommand<WebhookCommand> command, EndpointTable.NewEndpoint endpoint, boolean json) {
        if (json) {
            var object = new LinkedHashMap<String, Object>();
            object.put("id", endpoint.id());
            object.put("secret", endpoint.secret());
            return command.say(object);
        }
        command.refuse(0, "the secret of endpoint " + endpoint.id() + " is shown only this once");
        return command.say(endpoint.secret());
    }
}
