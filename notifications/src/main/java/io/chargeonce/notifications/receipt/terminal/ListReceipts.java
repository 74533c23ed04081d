// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt.terminal;

import io.chargeonce.notifications.receipt.ReceiptBook.Entry;
import io.chargeonce.notifications.receipt.ReceiptBook.Filter;
import io.chargeonce.notifications.terminal.MessageListCommand;
import io.chargeonce.terminal.Column;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists receipts, the newest first. No address is shown.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class ListReceipts extends MessageListCommand<ReceiptCommand> {

    static final List<Column<Entry>> COLUMNS = List.of(Column.whole("RECEIPT", Entry::receipt),
            Column.whole("PAYMENT", Entry::payment), Column.whole("STATE", Entry::state), Column.whole("KIND", Entry::kind),
            Column.right("TRIES", entry -> String.valueOf(entry.attempts())), Column.whole("LAST ANSWER", ListReceipts::answer),
            Column.time("NEXT TRY OR END", entry -> entry.endedAt().or(() -> Optional.of(entry.dueAt()))));
    private static final List<String> STATES = List.of("waiting", "sent", "dead", "erased");

    @Option(names = "--failed", description = "Only those that are not tried any more.")
    boolean failed;

    @Option(names = "--payment", paramLabel = "ID", description = "Only of this payment and its refunds.")
    Optional<String> payment = Optional.empty();

    @Option(names = "--state", paramLabel = "S", description = "Only waiting, sent, dead or erased ones.")
    Optional<String> state = Optional.empty();

    @Option(names = "--error", paramLabel = "E", description = "Only with this last error, such as recipient_refused.")
    Optional<String> error = Optional.empty();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "At most so many. Default: ${DEFAULT-VALUE}.")
    int limit;

    @Override
    public Integer call() {
        check(limit, state, STATES);
        if (failed && state.isPresent()) {
            throw wrong("--failed means --state dead: give one of them");
        }
        var filter = new Filter(payment, failed ? Optional.of("dead") : state, error, Optional.empty());
        return parent.with(book -> list(book.list(filter, limit), COLUMNS, ListReceipts::object));
    }

    private static String answer(Entry entry) {
        String answer = entry.lastStatus().map(code -> code + " ").orElse("") + entry.lastError().orElse("");
        return answer.isEmpty() ? Column.NONE : answer.strip();
    }

    private static Map<String, Object> object(Entry entry) {
        var object = new LinkedHashMap<String, Object>();
        object.put("receipt_id", entry.receipt());
        object.put("payment_id", entry.payment());
        object.put("operation_id", entry.operation());
        object.put("merchant", entry.merchant());
        object.put("kind", entry.kind());
        object.put("state", entry.state());
        object.put("attempts", entry.attempts());
        entry.lastStatus().ifPresent(status -> object.put("last_status", status));
        entry.lastError().ifPresent(error -> object.put("last_error", error));
        object.put("created_at", entry.createdAt().toString());
        if (entry.state().equals("waiting")) {
            object.put("due_at", entry.dueAt().toString());
        }
        entry.endedAt().ifPresent(at -> object.put("ended_at", at.toString()));
        return object;
    }
}
