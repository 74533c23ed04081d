// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.ingest.merchants.MerchantTable;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "add", description = "Adds a merchant.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
final class AddMerchant implements Callable<Integer> {

    @ParentCommand
    MerchantCommand merchants;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "MERCHANT", description = MerchantTable.ID_RULE + ".")
    String merchant;

    @Mixin
    TermOptions options;

    @Override
    public Integer call() {
        MerchantTable.Terms terms = options.terms();
        if (!MerchantTable.isId(merchant)) {
            return MerchantCommand.refuse(spec, MerchantCommand.USAGE, "a merchant's id is " + MerchantTable.ID_RULE);
        }
        return merchants.change(spec, database -> new MerchantTable(database, MerchantCommand.claim()).add(merchant, terms)
                ? MerchantCommand.say(spec, "Added " + merchant + ". Make its first token with: chargeonce merchant token new " + merchant)
                : MerchantCommand.refuse(spec, MerchantCommand.NO, merchant + " exists already and was not changed"));
    }
}
