// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.run.Cancels;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.approval.Settle;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.ingest.cancel.CancelPayment;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A person on call who merges, purges and restores all dead letters, until the process is killed or the work is done; and what people and
 * merchants end.
 */
final class UniverseOperator {

    private static final int CHANGES = 5;
    /** A run's name has ten hexadecimal digits. */
    private static final int RANDOM_BITS_TOO_MANY = Long.SIZE - 40;

    private UniverseOperator() {}

    /** @param harsh whether they purge what is unresolved too */
    static void work(boolean harsh) {
        Kernel kernel = Kernel.it();
        DeadLetterQueue queue = queue();
        for (int i = 0; i < CHANGES; i++) {
            kernel.sleep(kernel.between(Duration.ofMillis(200), Duration.ofSeconds(4)));
            try {
                change(harsh, queue, by(kernel.host().name));
            } catch (DatabaseUnavailable noAnswer) {
                kernel.note("a change of dead letters was not answered");
            }
        }
    }

    /**
     * A person looks into a PSP's own books for what it no longer tells a program, and settles by what is there.
     *
     * @param books each PSP's movements, by its name; what is open at another PSP is left alone
     */
    static void settle(Map<String, List<JsonNode>> books, List<SimulatedPostgres.Unresolved> open) {
        var settle = new Settle(queue());
        for (SimulatedPostgres.Unresolved one : open.stream().filter(each -> books.containsKey(each.psp())).toList()) {
            Optional<String> reference = books.get(one.psp()).stream()
                    .filter(movement -> movement.path("idempotency_key").asString().equals(one.key()))
                    .map(movement -> movement.path("id").asString()).findFirst();
            Settle.Look look = settle.propose(new Settle.Finding(one.operation(), reference, "as its books say"),
                    by("auditor"));
            if (look.obstacles().isEmpty()) {
                Kernel.it().tell("settled by hand", one.operation() + " settled by hand as " + reference.orElse("not charged"));
            }
        }
    }

    /** Nothing is sent for what is purged, so a PSP that can only be asked by sending never tells of it. A person undoes such purges. */
    static void restore(List<SimulatedPostgres.Unresolved> open) {
        List<String> purged = open.stream().filter(SimulatedPostgres.Unresolved::purged)
                .map(SimulatedPostgres.Unresolved::operation).toList();
        if (!purged.isEmpty()) {
            restore(queue(), purged);
        }
    }

    static void restore(DeadLetterQueue queue, List<String> purged) {
        change(RunKind.RESTORE, queue, DeadLetterFilter.ofIds(purged), by("auditor"), RunTerms.UNATTENDED);
    }

    static void merge(DeadLetterQueue queue, DeadLetterFilter which, String who) {
        change(RunKind.MERGE, queue, which, by(who), RunTerms.UNATTENDED);
    }

    /** A payment, by its merchant or by a person. */
    static void cancel(String merchant, String payment, boolean byAPerson) {
        try {
            if (byAPerson) {
                new Cancels(queue()).cancel(payment, by("canceler"));
            } else {
                new CancelPayment(SimulationHooks.database()).cancel(merchant, new PaymentId(payment), Optional.empty());
            }
        } catch (DatabaseUnavailable | DatabaseRefused answeredWithAnError) {
            Kernel.it().note("a cancel was not answered");
        }
    }

    private static final String DETACH = "SELECT detach_payment_method(?, ?)";

    /** A stored payment method. Payments by it may still be in progress. */
    static void detach(String merchant, String method) {
        try {
            SimulationHooks.database().inTransaction(connection -> {
                Sql.call(connection, DETACH, merchant, method);
                return null;
            });
            Kernel.it().note(method + " was detached");
        } catch (DatabaseUnavailable | DatabaseRefused answeredWithAnError) {
            Kernel.it().note("a payment method was not detached");
        }
    }

    static DeadLetterQueue queue() {
        return new DeadLetterQueue(SimulationHooks.database(), new Topics("payments"));
    }

    static AuditContext by(String who) {
        return new AuditContext(who, Optional.of("it is simulated"), newRun());
    }

    /** The table of runs refuses any other form. */
    private static String newRun() {
        return "run_%010x".formatted(Kernel.it().random().nextLong() >>> RANDOM_BITS_TOO_MANY);
    }

    private static void change(boolean harsh, DeadLetterQueue queue, AuditContext by) {
        DeadLetterFilter everything = DeadLetterFilter.everything();
        switch (Kernel.it().random().nextInt(4)) {
            case 0 -> change(RunKind.PURGE, queue, everything, by, RunTerms.UNATTENDED.evenUnresolved(harsh));
            case 1 -> change(RunKind.RESTORE, queue, everything, by, RunTerms.UNATTENDED);
            default -> change(RunKind.MERGE, queue, everything, by, RunTerms.UNATTENDED);
        }
    }

    private static void change(RunKind kind, DeadLetterQueue queue, DeadLetterFilter which, AuditContext by, RunTerms terms) {
        new DlqRuns(queue).unattended(kind, kind.plan(queue, which), by, terms);
    }
}
