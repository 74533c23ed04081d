// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand.Books;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "add", description = "Adds an endpoint of a merchant and prints its secret once.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class AddEndpoint implements Callable<Integer> {

    @ParentCommand
    WebhookCommand webhooks;

    @Spec
    CommandSpec spec;

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
        List<String> unknown = events.stream().filter(event -> !event.equals(EndpointTable.ALL_EVENTS) && !EndpointTable.EVENTS.contains(
                event)).toList();
        if (!unknown.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--events has '%s', but may have only * and %s".formatted(
                    String.join("', '", unknown), String.join(", ", EndpointTable.EVENTS)));
        }
        return webhooks.change(spec, this::add);
    }

    private int add(Books books) {
        try {
            books.addresses().checked(url);
        } catch (IllegalArgumentException wrong) {
            return WebhookCommand.refuse(spec, WebhookCommand.USAGE, "--url is '%s', but %s".formatted(url, wrong.getMessage()));
        }
        var added = books.endpoints().add(merchant, url, events.stream().distinct().toList());
        return added.made().map(endpoint -> shown(spec, endpoint, json)).orElseGet(() -> WebhookCommand.refuse(spec, WebhookCommand.NO,
                added.change() == EndpointTable.Change.TOO_MANY
                        ? "this merchant has %d endpoints, which is the most: remove one that it no longer needs"
                                .formatted(EndpointTable.MOST_OF_A_MERCHANT)
                        : "there is no merchant with that id: see chargeonce merchant list"));
    }

    static int shown(CommandSpec spec, EndpointTable.NewEndpoint endpoint, boolean json) {
        if (json) {
            var object = new LinkedHashMap<String, Object>();
            object.put("id", endpoint.id());
            object.put("secret", endpoint.secret());
            return WebhookCommand.say(spec, new String(PaymentJson.write(object), StandardCharsets.UTF_8));
        }
        WebhookCommand.refuse(spec, 0, "the secret of endpoint " + endpoint.id() + " is shown only this once");
        return WebhookCommand.say(spec, endpoint.secret());
    }
}
