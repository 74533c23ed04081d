// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.settlement.BankFileRows;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "unmatched", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = "Lists the lines of banks that fit no payment, and the files that are set aside. 'bank close' and 'bank release' end "
                + "that. Exit 1 if there are any.")
final class Unmatched implements Callable<Integer> {

    @ParentCommand
    BankCommand bank;

    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    @Override
    public Integer call() {
        return bank.with(opened -> {
            List<Map<String, Object>> rows = opened.database().withConnection(BankFileRows::unmatched);
            rows.forEach(row -> {
                if (json) {
                    BankCommand.sayJson(spec, row);
                } else {
                    print(row);
                }
            });
            BankCommand.sayIfCut(spec, rows.size(), BankFileRows.MOST_UNMATCHED, "The next ones follow when these are closed or released.");
            if (rows.isEmpty() && !json) {
                BankCommand.say(spec, "Nothing waits for a person.");
            }
            return rows.isEmpty() ? 0 : BankCommand.NO;
        });
    }

    private void print(Map<String, Object> row) {
        String money = row.containsKey("amount") ? "  " + Batches.money(row.get("amount"), row.get("currency")) : "";
        BankCommand.say(spec, "%s  %s  %s  %s%s".formatted(row.get("id"), row.get("at"), row.get("bank"), row.get("what"), money));
        if (!row.get("end_to_end_id").equals("")) {
            BankCommand.say(spec, "    its attempt: " + row.get("end_to_end_id"));
        }
        BankCommand.say(spec, "    " + row.get("why"));
    }
}
