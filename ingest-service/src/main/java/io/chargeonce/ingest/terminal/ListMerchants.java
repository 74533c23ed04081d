// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.ingest.merchants.MerchantTable;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "list", description = "Lists all merchants.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class ListMerchants implements Callable<Integer> {

    static final List<Column<MerchantTable.Entry>> COLUMNS = List.of(Column.whole("MERCHANT", MerchantTable.Entry::merchant),
            Column.right("REQUESTS/S", entry -> entry.requestsPerSecond().map(String::valueOf).orElse("any")),
            Column.right("DUPLICATES", entry -> window(entry.duplicateWindow())),
            Column.whole("REPRESENT", entry -> entry.representsDeclines() ? "on" : "off"),
            Column.right("TOKENS", entry -> String.valueOf(entry.tokens())),
            Column.time("ADDED", entry -> Optional.of(entry.createdAt())));

    @ParentCommand
    MerchantCommand merchants;

    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    @Override
    public Integer call() {
        return merchants.with(database -> print(new MerchantTable(database, MerchantCommand.claim()).list()));
    }

    private int print(List<MerchantTable.Entry> entries) {
        if (json) {
            entries.forEach(entry -> MerchantCommand.say(spec, json(entry)));
        } else {
            Table.withEveryColumn(Screen.of(spec), COLUMNS).print(entries);
        }
        return 0;
    }

    /** For how long an equal payment under another key is refused. */
    private static String window(Duration window) {
        return window.isZero() ? "allowed" : window.toMillisPart() == 0 ? window.toSeconds() + "s" : window.toMillis() + "ms";
    }

    private static String json(MerchantTable.Entry entry) {
        var object = new LinkedHashMap<String, Object>();
        object.put("merchant", entry.merchant());
        entry.requestsPerSecond().ifPresent(rate -> object.put("requests_per_second", rate));
        object.put("duplicate_window_ms", entry.duplicateWindow().toMillis());
        object.put("represent_declines", entry.representsDeclines());
        object.put("decline_failover", entry.declineFailover().tag());
        entry.receipts().name().ifPresent(name -> object.put("receipt_name", name));
        entry.receipts().locale().ifPresent(locale -> object.put("receipt_locale", locale));
        entry.receipts().replyTo().ifPresent(address -> object.put("receipt_reply_to", address));
        object.put("tokens", entry.tokens());
        object.put("added_at", entry.createdAt().toString());
        return new String(PaymentJson.write(object), StandardCharsets.UTF_8);
    }
}
