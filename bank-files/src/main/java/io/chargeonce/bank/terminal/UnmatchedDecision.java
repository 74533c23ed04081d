// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.settlement.BankFileRows;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What a person decides about one entry of 'bank unmatched'. */
abstract class UnmatchedDecision implements Callable<Integer> {

    @ParentCommand
    BankCommand bank;

    @Spec
    CommandSpec spec;

    @Parameters(index = "0", paramLabel = "line|file", description = "Which of the two.")
    String what;

    @Parameters(index = "1", paramLabel = "ID", description = "As 'bank unmatched' lists it.")
    long id;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; for the audit log.")
    String reason;

    /** The word for it in the database. */
    abstract String decision();

    abstract String done();

    /** Why it could not be done. */
    abstract String refused();

    @Override
    public final Integer call() {
        if (!isFile() && !what.equals("line")) {
            return BankCommand.refuse(spec, BankCommand.USAGE, "say 'line' or 'file', its id, and a reason");
        }
        return bank.with(spec, reason, opened -> opened.database().inTransaction(
                connection -> BankFileRows.decide(connection, what, id, decision(), BankCommand.claim(), reason))
                        ? BankCommand.say(spec, done())
                        : BankCommand.refuse(spec, BankCommand.NO, refused()));
    }

    final boolean isFile() {
        return what.equals("file");
    }
}
