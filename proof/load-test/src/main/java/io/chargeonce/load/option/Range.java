// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.option;

import java.math.BigDecimal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Numbers that an option takes, its ends included. Immutable. */
public record Range(double least, double most) {

    /** @throws ParameterException naming the option, the number and the range */
    public void require(CommandSpec command, String option, double number) {
        // NaN is within no range.
        if (!(number >= least && number <= most)) {
            throw new ParameterException(command.commandLine(), "%s is %s, but must be from %s to %s".formatted(option, plain(number),
                    plain(least), plain(most)));
        }
    }

    private static String plain(double number) {
        return Double.isFinite(number) ? BigDecimal.valueOf(number).stripTrailingZeros().toPlainString() : "no number";
    }
}
