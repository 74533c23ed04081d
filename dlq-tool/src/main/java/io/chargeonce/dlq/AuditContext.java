// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import io.chargeonce.database.Sql;
import io.chargeonce.ledger.AuditLog;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Who changes the dead-letter queue and why; written to the audit log with every single change.
 *
 * @param actor who did it, as far as the client says. The audit log does not use it: Postgres names the login of the session
 * @param claim the account at the client's machine, kept beside that name
 * @param run   names this run, so that all that it changed can be found
 */
public record AuditContext(String actor, Optional<String> claim, Optional<String> reason, String run) {

    private static final String LOGIN = "SELECT session_user";

    public AuditContext {
        if (actor.isBlank() || reason.filter(String::isBlank).isPresent()) {
            throw new IllegalArgumentException("a change needs an actor, and a reason must not be blank");
        }
    }

    /** With no claim. */
    public AuditContext(String actor, Optional<String> reason, String run) {
        this(actor, Optional.empty(), reason, run);
    }

    /** A run of its own for a service or a test. */
    public static AuditContext of(String actor, Optional<String> reason) {
        return new AuditContext(actor, reason, newRun());
    }

    /** A run of its own for the person at this terminal. */
    public static AuditContext of(DeadLetterQueue queue, Optional<String> reason) {
        return of(queue, reason, newRun());
    }

    /** For the person at this terminal: named by the login, which the database knows; the account at this machine is a claim. */
    public static AuditContext of(DeadLetterQueue queue, Optional<String> reason, String run) {
        String login = queue.database().withConnection(connection -> Sql.one(connection, LOGIN, row -> row.getString(1)));
        return new AuditContext(login, Optional.of(Login.name()), reason, run);
    }

    /** A name that no run had before. */
    public static String newRun() {
        var bytes = new byte[5];
        new SecureRandom().nextBytes(bytes);
        return "run_" + HexFormat.of().formatHex(bytes);
    }

    public AuditLog.Actor person() {
        return new AuditLog.Actor.Person(claim);
    }
}
