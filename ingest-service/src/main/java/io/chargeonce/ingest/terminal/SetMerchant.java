// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.ingest.merchants.MerchantTable;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "set", description = "Changes the settings of a merchant. They take effect within seconds.", usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true)
final class SetMerchant implements Callable<Integer> {

    @ParentCommand
    MerchantCommand merchants;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "MERCHANT", description = "Its id.")
    String merchant;

    @Mixin
    TermOptions options;

    @Override
    public Integer call() {
        MerchantTable.Terms terms = options.terms();
        if (terms.areEmpty()) {
            throw new ParameterException(spec.commandLine(),
                    "nothing to change: give --requests-per-second, --duplicate-window, --represent-declines, --decline-failover or one of "
                            + "--receipt-…");
        }
        return merchants.change(spec, database -> new MerchantTable(database, MerchantCommand.claim()).set(merchant, terms)
                ? MerchantCommand.say(spec, "Changed " + merchant + ".")
                : MerchantCommand.refuse(spec, MerchantCommand.NO, "there is no merchant with that id: see chargeonce merchant list"));
    }
}
