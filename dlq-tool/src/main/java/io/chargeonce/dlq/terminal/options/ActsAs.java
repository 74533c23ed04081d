// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.options;

import io.chargeonce.database.Roles;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.terminal.Screen;
import io.chargeonce.dlq.AuditContext;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** Who changes something: the login of the session. A login that many people use gets a warning, for the audit log names no person then. */
public final class ActsAs {

    /** Each with the option that creates a personal login. Postgres refuses the other shared roles. */
    private static final Map<String, String> SHARED =
            Map.of(Roles.OPERATOR, "--operator", Roles.UNMASK, "--unmask", Roles.ERASER, "--eraser");

    private ActsAs() {}

    public static AuditContext auditContext(CommandSpec command, DeadLetterQueue queue, Optional<String> reason) {
        return warned(command, AuditContext.of(queue, reason));
    }

    /** For a run that there is already. */
    public static AuditContext auditContext(CommandSpec command, DeadLetterQueue queue, Optional<String> reason, String run) {
        return warned(command, AuditContext.of(queue, reason, run));
    }

    private static AuditContext warned(CommandSpec command, AuditContext by) {
        if (SHARED.containsKey(by.actor())) {
            Screen.tell(command, ("you act as the shared role %s, and the audit log will name it and no person; chargeonce migrate %s NAME "
                    + "makes a login of your own").formatted(by.actor(), SHARED.get(by.actor())));
        }
        return by;
    }
}
