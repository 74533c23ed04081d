// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.hold;

import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.ledger.Hold;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What pause, force and resume have in common: what is meant, why, and whether to do it. */
final class HoldOptions {

    @Parameters(index = "0", paramLabel = "KIND", description = "psp, merchant or tier; only a psp can be forced.")
    String kind;

    @Parameters(index = "1", paramLabel = "NAME", description = "The PSP, the merchant, or the tier: 2 or retry-2.")
    String name;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; others see it, and the audit log keeps it.")
    Optional<String> reason;

    @Option(names = "--yes", description = "Do it. Without it, the command only shows what would be affected.")
    boolean yes;

    @Mixin
    CommonOptions common;

    /** The kind, if there is such a one; adds all that is wrong. */
    Optional<Hold.Kind> check(InputProblems problems) {
        Optional<Hold.Kind> known = HoldCall.kind(kind, problems);
        HoldCall.checkReason(reason, problems);
        return known;
    }

    HoldCall call(CommandSpec spec, Hold.Kind known) {
        return new HoldCall(spec, known, HoldCall.name(known, name), reason, yes, common.json);
    }
}
