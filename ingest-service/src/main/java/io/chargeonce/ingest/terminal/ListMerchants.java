// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.ingest.merchants.MerchantBook;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "list", description = "Lists all merchants.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class ListMerchants implements Callable<Integer> {

    private static final String LINE = "%-24s  %12s  %16s  %9s  %6s  %s";

    @ParentCommand
    MerchantCommand merchants;

    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    @Override
    public Integer call() {
        return merchants.with(database -> print(new MerchantBook(database, MerchantCommand.claim()).list()));
    }

    private int print(List<MerchantBook.Entry> entries) {
        if (!json) {
            MerchantCommand.say(spec, LINE.formatted("merchant", "requests/s", "duplicate window", "represent", "tokens", "added"));
        }
        entries.forEach(entry -> MerchantCommand.say(spec, json ? json(entry) : LINE.formatted(entry.merchant(),
                entry.requestsPerSecond().map(String::valueOf).orElse("any"), entry.duplicateWindow().toMillis() + "ms",
                entry.representsDeclines() ? "on" : "off", entry.tokens(), entry.createdAt())));
        return 0;
    }

    private static String json(MerchantBook.Entry entry) {
        var object = new LinkedHashMap<String, Object>();
        object.put("merchant", entry.merchant());
        entry.requestsPerSecond().ifPresent(rate -> object.put("requests_per_second", rate));
        object.put("duplicate_window_ms", entry.duplicateWindow().toMillis());
        object.put("represent_declines", entry.representsDeclines());
        entry.receipts().name().ifPresent(name -> object.put("receipt_name", name));
        entry.receipts().locale().ifPresent(locale -> object.put("receipt_locale", locale));
        entry.receipts().replyTo().ifPresent(address -> object.put("receipt_reply_to", address));
        object.put("tokens", entry.tokens());
        object.put("added_at", entry.createdAt().toString());
        return new String(PaymentJson.write(object), StandardCharsets.UTF_8);
    }
}
