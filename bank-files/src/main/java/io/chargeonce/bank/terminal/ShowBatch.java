// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.settlement.BankFileRows;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "show", description = "Shows one of our files: how far it is, and what the bank said about each item. Names and accounts "
        + "are not shown.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class ShowBatch implements Callable<Integer> {

    @ParentCommand
    BankCommand bank;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "As 'bank batches' lists it.")
    long id;

    @Option(names = "--items", paramLabel = "N", defaultValue = "100", description = "At most so many items. Default: ${DEFAULT-VALUE}.")
    int most;

    @Option(names = "--json", description = "Print JSON: the file, then one item a line.")
    boolean json;

    @Override
    public Integer call() {
        return bank.with(opened -> {
            Optional<Map<String, Object>> batch = opened.database().withConnection(connection -> BankFileRows.batch(connection, id));
            if (batch.isEmpty()) {
                return BankCommand.refuse(spec, BankCommand.NO, "no file has that id: see chargeonce bank batches");
            }
            List<Map<String, Object>> items = opened.database().withConnection(connection -> BankFileRows.items(connection, id, most));
            if (json) {
                BankCommand.sayJson(spec, batch.get());
                items.forEach(item -> BankCommand.sayJson(spec, item));
                return 0;
            }
            batch.get().forEach((name, value) -> BankCommand.say(spec, "%-12s  %s".formatted(name.replace('_', ' '),
                    name.equals("total") ? Batches.money(value, batch.get().get("currency")) : value)));
            items.forEach(item -> BankCommand.say(spec, "  %-26s %-30s %12s %s".formatted(item.get("end_to_end_id"), item.get("payment"),
                    Batches.money(item.get("amount"), item.get("currency")), item.getOrDefault("said", "nothing yet"))));
            return 0;
        });
    }
}
