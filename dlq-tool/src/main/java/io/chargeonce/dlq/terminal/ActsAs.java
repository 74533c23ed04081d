package io.chargeonce.dlq.terminal;

import io.chargeonce.database.Roles;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Mandate;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;

/** Who changes something: the login of the session. A login that many use is told so, for the audit log names no person then. */
final class ActsAs {

    /** Another shared role is refused, and says so. */
    private static final Set<String> SHARED = Set.of(Roles.OPERATOR, Roles.UNMASK, Roles.ERASER);

    private ActsAs() {}

    static Mandate mandate(CommandSpec command, DeadLetterQueue queue, Optional<String> reason) {
        return warned(command, Mandate.of(queue, reason));
    }

    /** For a run that there is already. */
    static Mandate mandate(CommandSpec command, DeadLetterQueue queue, Optional<String> reason, String run) {
        return warned(command, Mandate.of(queue, reason, run));
    }

    private static Mandate warned(CommandSpec command, Mandate mandate) {
        if (SHARED.contains(mandate.actor())) {
            command.commandLine().getErr().println(("%s: you act as the shared role %s, and the audit log will name it and no person; "
                    + "chargeonce migrate --operator NAME makes a login of your own").formatted(command.qualifiedName(" "), mandate.actor()));
            command.commandLine().getErr().flush();
        }
        return mandate;
    }
}
