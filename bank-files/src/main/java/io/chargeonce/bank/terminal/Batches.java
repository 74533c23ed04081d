// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.payment.Money;
import io.chargeonce.settlement.BankFileRows;
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

    private static final String LINE = "%5s  %-8s  %-15s  %6s  %14s  %-10s  %s";

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
            if (!json) {
                BankCommand.say(spec, LINE.formatted("id", "bank", "state", "items", "total", "due", "message"));
            }
            rows.forEach(row -> {
                if (json) {
                    BankCommand.sayJson(spec, row);
                } else {
                    BankCommand.say(spec, line(row));
                    trouble(row).ifPresent(why -> BankCommand.say(spec, "        " + why));
                }
            });
            return 0;
        });
    }

    private static String line(Map<String, Object> row) {
        return LINE.formatted(row.get("id"), row.get("bank"), String.valueOf(row.get("state")).replace('_', ' '), row.get("items"),
                money(row.get("total"), row.get("currency")), row.get("due_on"), row.get("message"));
    }

    private static Optional<String> trouble(Map<String, Object> row) {
        return Boolean.TRUE.equals(row.get("late")) ? Optional.of("LATE: the bank should have answered by " + row.get("answer_due"))
                : Optional.ofNullable(row.get("last_error")).map(String::valueOf);
    }

    static String money(Object minorUnits, Object currency) {
        return Money.format(((Number) minorUnits).longValue(), String.valueOf(currency));
    }
}
