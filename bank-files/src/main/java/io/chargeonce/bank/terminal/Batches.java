// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.payment.Money;
import io.chargeonce.settlement.BankFileRows;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Table;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "batches", description = "Lists our files, newest first.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class Batches implements Callable<Integer> {

    @ParentCommand
    BankCommand bank;

    @Spec
    CommandSpec spec;

    @Option(names = "--bank", paramLabel = "B", description = "Only this bank's.")
    Optional<String> name = Optional.empty();

    @Option(names = "--open", description = "Only those that are on their way, or that the bank has still to answer.")
    boolean open;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "At most so many. Default: ${DEFAULT-VALUE}.")
    int limit;

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    @Override
    public Integer call() {
        return bank.with(opened -> {
            List<Map<String, Object>> rows =
                    opened.database().withConnection(connection -> BankFileRows.batches(connection, name, open, limit));
            if (json) {
                rows.forEach(row -> BankCommand.sayJson(spec, row));
            } else {
                print(rows);
            }
            return 0;
        });
    }

    private void print(List<Map<String, Object>> rows) {
        if (rows.isEmpty()) {
            BankCommand.say(spec, "There is no such file.");
            return;
        }
        Table.<Map<String, Object>>withEveryColumn(BankCommand.screen(spec), List.of(
                Column.right("ID", row -> text(row, "id")),
                Column.whole("BANK", row -> text(row, "bank")),
                Column.whole("STATE", row -> text(row, "state").replace('_', ' ')),
                Column.right("ITEMS", row -> text(row, "items")),
                Column.right("MONEY", row -> money(row.get("total"), row.get("currency"))),
                Column.whole("DUE", row -> text(row, "due_on")),
                Column.whole("MESSAGE", row -> text(row, "message")))).print(rows);
        rows.forEach(row -> trouble(row).ifPresent(why -> BankCommand.say(spec, "file %s: %s".formatted(row.get("id"), why))));
    }

    private static String text(Map<String, Object> row, String name) {
        return Optional.ofNullable(row.get(name)).map(String::valueOf).orElse(Column.NONE);
    }

    private static Optional<String> trouble(Map<String, Object> row) {
        return Boolean.TRUE.equals(row.get("late")) ? Optional.of("LATE: the bank should have answered by " + row.get("answer_due"))
                : Optional.ofNullable(row.get("last_error")).map(String::valueOf);
    }

    static String money(Object minorUnits, Object currency) {
        return Money.format(((Number) minorUnits).longValue(), String.valueOf(currency));
    }
}
