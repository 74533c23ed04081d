// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.DeliveryBook.Entry;
import io.chargeonce.endpoints.DeliveryBook.Filter;
import io.chargeonce.endpoints.EndpointJson;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand.Books;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "test", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = "Sends the event endpoint.test to an endpoint, by the webhooks service, and waits for the first answer.")
final class TestEndpoint extends EndpointCommands.OfEndpoint {

    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    @Option(names = "--wait", paramLabel = "D", defaultValue = "30s", description = "How long to wait. Default: ${DEFAULT-VALUE}.")
    String patience;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Override
    public Integer call() {
        Duration wait = duration("--wait", patience);
        return parent.change(this, books -> {
            var test = books.endpoints().test(id);
            return test.made().map(webhook -> answered(books, webhook, wait)).orElseGet(() -> refuse(NO,
                    test.change() == EndpointTable.Change.TOO_MANY ? "it got ten tests within a minute, which is the most: wait a minute"
                            : "no enabled endpoint has that id: see chargeonce webhook list"));
        });
    }

    private int answered(Books books, String webhook, Duration wait) {
        long giveUp = System.nanoTime() + wait.toNanos();
        Entry entry = look(books, webhook);
        while (entry.lastStatus().isEmpty() && entry.lastError().isEmpty() && System.nanoTime() < giveUp) {
            try {
                Thread.sleep(LOOK_EVERY);
            } catch (InterruptedException interruption) {
                Thread.currentThread().interrupt();
                break;
            }
            entry = look(books, webhook);
        }
        return told(books, webhook, entry);
    }

    private int told(Books books, String webhook, Entry entry) {
        if (json) {
            say(EndpointJson.of(entry));
        } else if (entry.state().equals("delivered")) {
            say("Delivered %s: the endpoint answered %d.".formatted(webhook, entry.lastStatus().orElse(0)));
        } else {
            refuse(0, entry.lastError()
                    .map(error -> "%s was not delivered: %s. %s".formatted(webhook, error, afterwards(books, entry)))
                    .orElse("%s has not been tried yet; is 'chargeonce webhook-sender' running?".formatted(webhook)));
        }
        return entry.state().equals("delivered") ? 0 : NO;
    }

    private String afterwards(Books books, Entry entry) {
        if (books.endpoints().find(id).filter(EndpointTable.Endpoint::isDisabled).isPresent()) {
            return "The endpoint is disabled now: 'chargeonce webhook enable %s' ends it".formatted(id);
        }
        return entry.state().equals("dead") ? "It is not tried any more" : "It is tried again";
    }

    private static Entry look(Books books, String webhook) {
        return books.deliveries().list(Filter.ofWebhook(webhook), 1).getFirst();
    }
}
