// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.personal;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Takes what identifies a person out of finished payments, on that person's request. The database decides what is finished, erases,
 * and writes the audit record; this asks it, some payments a commit. Stopped anywhere, the same call does the rest.
 */
public final class Erase {

    /** What became of one payment. */
    public enum Outcome {
        ERASED,
        /** It would be. */
        ERASABLE,
        /** Nothing personal is kept of it: erased before, or never there. */
        NOTHING_LEFT,
        /** Left whole, because money may still move for it. */
        UNFINISHED,
        /** This merchant has no such payment. */
        UNKNOWN;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param state of its charge; empty for an unknown payment */
    public record Result(String payment, Outcome outcome, Optional<String> state) {}

    private static final int BATCH = 100;

    private final DeadLetterQueue queue;
    private final boolean really;

    /** @param really false to tell only what would be done */
    public Erase(DeadLetterQueue queue, boolean really) {
        this.queue = queue;
        this.really = really;
    }

    /** @param results gets each batch once it is committed */
    public void run(String merchant, List<String> payments, AuditContext by, Consumer<List<Result>> results) {
        for (int from = 0; from < payments.size(); from += BATCH) {
            results.accept(runOnce(merchant, payments.subList(from, Math.min(payments.size(), from + BATCH)), by));
        }
    }

    private static final String ERASE = "SELECT payment, fate, state_now FROM erase_personal_data(?, ?, ?, ?, ?, ?)";

    /** One commit. */
    private List<Result> runOnce(String merchant, List<String> payments, AuditContext by) {
        String reason = by.reason().orElseThrow(() -> new IllegalArgumentException("an erasure needs a reason"));
        return queue.database().inTransaction(connection -> Sql.all(connection, ERASE,
                row -> new Result(row.getString(1), Outcome.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
                        Optional.ofNullable(row.getString(3))),
                merchant, payments, by.claim(), reason, by.run(), really));
    }
}
