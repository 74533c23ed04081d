// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.settlement.BankFileRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "resend", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {
            "Sends a file that the bank has never answered once more: the same bytes under the same message id, so that the bank "
                    + "executes them once.",
            "Ask the bank first. A file is refused if the bank has answered it, or if one of its payments was booked, returned, or "
                    + "settled as not charged.",
            "Without --yes it only says what it would do."})
final class Resend implements Callable<Integer> {

    @ParentCommand
    BankCommand bank;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "As 'bank batches' lists it.")
    long id;

    @Option(names = "--same-bytes", required = true, description = "Required. It confirms that the bank gets the same bytes again.")
    boolean sameBytes;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; for the audit log.")
    String reason;

    @Option(names = "--yes", description = "Do it.")
    boolean yes;

    @Override
    public Integer call() {
        return bank.with(spec, reason, opened -> opened.database().inTransaction(this::resend)
                .map(file -> BankCommand.say(spec, yes ? "The bank-files service sends %s again.".formatted(file)
                        : "Would send %s again. Add --yes to do it.".formatted(file)))
                .orElseGet(() -> BankCommand.refuse(spec, BankCommand.NO,
                        "no file of that id was sent and not answered, or one of its payments was "
                                + "booked, returned, or settled as not charged: see chargeonce bank batches")));
    }

    /** A look does the same, and is rolled back. The file, in words; empty if it may not be sent again. */
    private Optional<String> resend(Connection connection) throws SQLException {
        if (!BankFileRows.resend(connection, id, BankCommand.claim(), reason)) {
            return Optional.empty();
        }
        Map<String, Object> file = BankFileRows.batch(connection, id).orElseThrow();
        if (!yes) {
            connection.rollback();
        }
        return Optional.of("file %d with %s items of %s to %s".formatted(id, file.get("items"),
                Batches.money(file.get("total"), file.get("currency")), file.get("bank")));
    }
}
