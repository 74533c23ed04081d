// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks.terminal;

import io.chargeonce.webhooks.terminal.WebhookCommand.Books;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "redeliver", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {"Sends a delivery again, with all tries and under the same id.",
            "With the id of an endpoint: all its dead deliveries. Without --yes that only says how many there are."})
final class Redeliver implements Callable<Integer> {

    @ParentCommand
    WebhookCommand webhooks;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "Of a delivery (msg_…) or of an endpoint (whe_…).")
    String id;

    @Option(names = "--yes", description = "Do it.")
    boolean yes;

    @Override
    public Integer call() {
        if (!id.startsWith("whe_")) {
            return webhooks.change(spec, books -> books.deliveries().redeliver(id) ? WebhookCommand.say(spec, "Sends " + id + " again.")
                    : WebhookCommand.refuse(spec, WebhookCommand.NO, "no delivery has that id, or its endpoint is disabled: see chargeonce "
                            + "webhook deliveries"));
        }
        return yes ? webhooks.change(spec, this::dead) : webhooks.with(this::count);
    }

    private int count(Books books) {
        return WebhookCommand.say(spec, "Would send %,d dead deliveries of %s again. Add --yes to do it.".formatted(
                books.deliveries().deadOf(id), id));
    }

    private int dead(Books books) {
        // One that dies again meanwhile must not be taken twice for ever.
        long sent = books.deliveries().redeliverDeadOf(id, books.deliveries().deadOf(id));
        return sent > 0 ? WebhookCommand.say(spec, "Sends %,d dead deliveries of %s again.".formatted(sent, id))
                : WebhookCommand.refuse(spec, WebhookCommand.NO, "no enabled endpoint with that id has dead deliveries: see chargeonce "
                        + "webhook list");
    }
}
