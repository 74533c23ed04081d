// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.EndpointTable.Change;
import io.chargeonce.notifications.terminal.MessageCommand;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand.Books;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "redeliver", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {"Sends a delivery again, with all tries and under the same id.",
            "With the id of an endpoint: all its dead deliveries. Without --yes that only says how many there are.",
            "With the id of a payment: those that it and its refunds lack, because Kafka has lost their outcomes."})
final class Redeliver extends MessageCommand<WebhookCommand> {

    @Parameters(paramLabel = "ID", description = "Of a delivery (msg_…), of an endpoint (whe_…) or of a payment (pay_…).")
    String id;

    @Option(names = "--yes", description = "Do it.")
    boolean yes;

    @Override
    public Integer call() {
        if (id.startsWith("pay_")) {
            return parent.change(this, this::missed);
        }
        if (!id.startsWith("whe_")) {
            return parent.change(this, books -> books.deliveries().redeliver(id) == Change.DONE
                    ? say("Sends " + id + " again.")
                    : refuse(NO, "no delivery has that id, or its endpoint is disabled: see chargeonce webhook deliveries"));
        }
        return yes ? parent.change(this, this::dead) : parent.with(this::count);
    }

    private int missed(Books books) {
        int made = books.deliveries().stageMissedOf(id);
        return made > 0 ? say("Sends %,d that %s lacked.".formatted(made, id))
                : refuse(NO, "it lacks none: it has not ended, or no endpoint wants to hear of it, or "
                        + "'webhook deliveries --payment %s' shows them".formatted(id));
    }

    private int count(Books books) {
        if (books.endpoints().find(id).filter(endpoint -> !endpoint.isDisabled()).isEmpty()) {
            return refuse(NO, "no enabled endpoint has that id, and a disabled one gets nothing: see "
                    + "chargeonce webhook list, and chargeonce webhook enable");
        }
        return say("Would send %s of %s again. Add --yes to do it.".formatted(WebhookCommand.dead(books.deliveries().deadOf(id)), id));
    }

    private int dead(Books books) {
        // One that dies again meanwhile must not be taken twice for ever.
        long sent = books.deliveries().redeliverDeadOf(id, books.deliveries().deadOf(id));
        return sent > 0 ? say("Sends %s of %s again.".formatted(WebhookCommand.dead(sent), id))
                : refuse(NO, "no enabled endpoint with that id has dead deliveries: see chargeonce webhook list");
    }
}
