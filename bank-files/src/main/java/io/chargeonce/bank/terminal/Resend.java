// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(name = "resend", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        description = {
            "Sends a file that the bank has never answered once more: the same bytes under the same message id, so that the bank "
                    + "executes them once.",
            "Ask the bank first. A file that it has answered is not sent again, nor one of which a payment was booked, returned, or "
                    + "settled as not charged."})
final class Resend implements Callable<Integer> {

    @ParentCommand
    BankCommand bank;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "As 'bank batches' lists it.")
    long id;

    @Option(names = "--same-bytes", required = true, description = "There is no other way. It says that you know it.")
    boolean sameBytes;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; for the audit log.")
    String reason;

    @Override
    public Integer call() {
        return bank.with(opened -> opened.database().inTransaction(connection -> FileRows.resend(connection, id, reason))
                ? BankCommand.say(spec, "The bank-files service sends file %d again.".formatted(id))
                : BankCommand.refuse(spec, BankCommand.NO, "no file of that id was sent and not answered, or one of its payments was "
                        + "booked, returned, or settled as not charged: see chargeonce bank batches"));
    }
}
