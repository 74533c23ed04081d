// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.receipts.terminal;

import io.chargeonce.receipts.ReceiptBook.Entry;
import io.chargeonce.receipts.ReceiptBook.Filter;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "list", description = "Lists receipts, the newest first. No address is shown.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class ListReceipts implements Callable<Integer> {

    private static final String LINE = "%-36s  %-6s  %-40s  %-7s  %5s  %-24s  %s";
    private static final List<String> STATES = List.of("waiting", "sent", "dead", "erased");

    @ParentCommand
    ReceiptCommand receipts;

    @Spec
    CommandSpec spec;

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

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    @Override
    public Integer call() {
        if (limit < 1 || limit > 1_000_000 || state.filter(given -> !STATES.contains(given)).isPresent()) {
            throw new ParameterException(spec.commandLine(), "--limit must be from 1 to 1,000,000, and --state one of " + STATES);
        }
        if (failed && state.isPresent()) {
            throw new ParameterException(spec.commandLine(), "--failed means --state dead: give one of them");
        }
        return receipts.with(book -> {
            if (!json) {
                ReceiptCommand.say(spec, LINE.formatted("receipt", "kind", "payment", "state", "tries", "last answer",
                        "next try or end"));
            }
            book.list(new Filter(payment, failed ? Optional.of("dead") : state, error, Optional.empty()), limit)
                    .forEach(entry -> ReceiptCommand.say(spec, json ? json(entry) : line(entry)));
            return 0;
        });
    }

    static String line(Entry entry) {
        String answer = entry.lastStatus().map(code -> code + " ").orElse("") + entry.lastError().orElse("");
        return LINE.formatted(entry.receipt(), entry.kind(), entry.payment(), entry.state(), entry.attempts(), answer.strip(),
                entry.endedAt().orElse(entry.dueAt()));
    }

    private static String json(Entry entry) {
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
        return new String(PaymentJson.write(object), StandardCharsets.UTF_8);
    }
}
