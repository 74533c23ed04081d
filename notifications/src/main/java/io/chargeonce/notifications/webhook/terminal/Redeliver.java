// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook.terminal;

import io.chargeonce.endpoints.DeliveryBook.Window;
import io.chargeonce.endpoints.EndpointTable.Change;
import io.chargeonce.notifications.terminal.MessageCommand;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand.Books;
import io.chargeonce.text.Counted;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "redeliver", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {"Sends a delivery again, with all tries and under the same id.",
            "With the id of an endpoint: all its dead deliveries, or with --since all of a time, also those that were delivered more "
                    + "than ten minutes ago. Without --yes that only says how many there are.",
            "With the id of a payment: those that it and its refunds lack, because Kafka has lost their outcomes."})
final class Redeliver extends MessageCommand<WebhookCommand> {

    @Parameters(paramLabel = "ID", description = "Of a delivery (msg_…), of an endpoint (whe_…) or of a payment (pay_…).")
    String id;

    @Option(names = "--since", paramLabel = "TIME",
            description = "Of an endpoint: also delivered ones, that were created then or later, such as 2026-11-01T12:00:00Z.")
    Optional<Instant> since = Optional.empty();

    @Option(names = "--until", paramLabel = "TIME", description = "With --since: only those that were created before.")
    Optional<Instant> until = Optional.empty();

    @Option(names = "--yes", description = "Do it.")
    boolean yes;

    @Override
    public Integer call() {
        if (since.isPresent() && !id.startsWith("whe_") || until.filter(end -> since.filter(end::isAfter).isEmpty()).isPresent()) {
            return refuse(USAGE, "--since is for the id of an endpoint, and --until must be later than --since");
        }
        if (id.startsWith("pay_")) {
            return parent.change(this, this::missed);
        }
        if (!id.startsWith("whe_")) {
            return parent.change(this, books -> books.deliveries().redeliver(id) == Change.DONE
                    ? say("Sends " + id + " again.")
                    : refuse(NO, "no delivery has that id, or its endpoint is disabled: see chargeonce webhook deliveries"));
        }
        return yes ? parent.change(this, this::send) : parent.with(this::count);
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
        return say("Would send %s of %s again. Add --yes to do it.".formatted(counted(found(books)), id));
    }

    private int send(Books books) {
        // One that dies again meanwhile must not be taken twice for ever.
        long most = found(books);
        long sent = window().map(time -> books.deliveries().redeliver(id, time, most).count())
                .orElseGet(() -> books.deliveries().redeliverDeadOf(id, most));
        return sent > 0 ? say("Sends %s of %s again.".formatted(counted(sent), id))
                : refuse(NO, "no enabled endpoint with that id has such deliveries: see chargeonce webhook list");
    }

    private long found(Books books) {
        return window().map(time -> books.deliveries().endedOf(id, time)).orElseGet(() -> books.deliveries().deadOf(id));
    }

    private Optional<Window> window() {
        return since.map(begin -> new Window(begin, until));
    }

    private String counted(long count) {
        return since.isPresent() ? Counted.of(count, "delivery", "deliveries") : WebhookCommand.dead(count);
    }
}
