// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import java.util.LinkedHashMap;
import picocli.CommandLine.Model.CommandSpec;

/** The message about a run that waits for another person. */
final class Approval {

    static final int NO = 1;

    private Approval() {}

    /**
     * Returns the exit code: nothing more is moved.
     *
     * @param kind     the run's command, or {@link FourEyes#SETTLE}
     * @param hasMoved whether the run had moved something before: then it is about the rest
     */
    static int awaited(CommandSpec command, String run, String kind, boolean json, boolean hasMoved) {
        if (json) {
            var object = new LinkedHashMap<String, Object>();
            object.put("run", run);
            object.put("awaits_approval", true);
            JsonLines.print(Screen.of(command), object);
            return NO;
        }
        Screen screen = Screen.of(command);
        screen.say("%s is more than you may do alone within 24 hours, and waits for another person. %s".formatted(
                hasMoved ? "The rest of " + run : run, hasMoved ? "What it has moved stays moved." : "Nothing was changed."));
        screen.print("Another person says, within 24 hours:  chargeonce dlq approve %s", run);
        if (kind.equals(FourEyes.SETTLE)) {
            screen.say("Then the PSP is asked once more. Without an approval the finding counts for nothing.");
        } else {
            screen.print("Then, within 24 hours:                 chargeonce dlq %s --resume %s", kind, run);
            screen.print("To drop it:                            chargeonce dlq %s --cancel %s", kind, run);
        }
        return NO;
    }
}
