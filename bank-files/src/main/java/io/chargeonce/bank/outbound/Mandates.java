// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.bank.store.Debtors;
import io.chargeonce.database.Sql;
import io.chargeonce.vault.Vault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Whether all mandates of a file can be read, before the file is fixed: one that cannot must not make the others late. Any thread. */
final class Mandates {

    /** Before a window closes, what still cannot be read is set aside, so that the others go. */
    static final Duration TO_GIVE_A_KEY = Duration.ofMinutes(2);

    /** Of a file's mandates, those that cannot be read. */
    enum Which {
        /** They were erased: no key opens them. */
        ERASED,
        /** Others can: a key was changed, or these are damaged. */
        SOME,
        /** Of those that were not erased. */
        ALL
    }

    /** Some cannot be read, so the file must not be fixed with their items. */
    static final class Unreadable extends RuntimeException {

        private static final long serialVersionUID = 1;
        private final transient Map<String, String> items;
        private final Which which;

        Unreadable(Map<String, String> items, Which which) {
            super(null, null, false, false);
            this.items = Map.copyOf(items);
            this.which = which;
        }

        /** Why, by the key of each of their items. */
        Map<String, String> items() {
            return items;
        }

        /** Whether none of the file can be read. Then it is our key that is missing, and not a mandate that is damaged. */
        boolean all() {
            return which == Which.ALL;
        }

        /**
         * Whether the whole file waits for a key that would open these. What was erased no key opens.
         *
         * @param closes when the file must be sealed at the latest; {@link Instant#MAX} if there is another window at any time
         */
        boolean isWorthWaiting(Instant now, Instant closes) {
            return all() || which == Which.SOME && !closes.equals(Instant.MAX) && now.plus(TO_GIVE_A_KEY).isBefore(closes);
        }

        String why() {
            return items.values().iterator().next();
        }
    }

    private Mandates() {}

    private static final String OF_BATCH = """
            SELECT mandate_id, sealed_debtor, array_agg(psp_key)
              FROM bank_batch_item JOIN bank_mandate USING (mandate_id) WHERE batch_id = ? GROUP BY mandate_id, sealed_debtor
            """;

    /**
     * Within the transaction that seals the file, so that no item escapes.
     *
     * @throws Unreadable if one cannot be read; the transaction must be rolled back
     */
    static void mustBeReadable(Connection connection, Vault vault, long batch) throws SQLException {
        var erased = new LinkedHashMap<String, String>();
        var unreadable = new LinkedHashMap<String, String>();
        var readable = new AtomicInteger();
        Sql.each(connection, 1_000, OF_BATCH, row -> {
            try {
                Debtors.open(vault, row.getString(1), row.getBytes(2));
                readable.incrementAndGet();
            } catch (IllegalStateException closed) {
                for (String key : List.of((String[]) row.getArray(3).getArray())) {
                    (Debtors.isErased(row.getBytes(2)) ? erased : unreadable).put(key, closed.getMessage());
                }
            }
        }, batch);
        if (!erased.isEmpty()) {
            // No key will help these.
            throw new Unreadable(erased, Which.ERASED);
        }
        if (!unreadable.isEmpty()) {
            throw new Unreadable(unreadable, readable.get() > 0 ? Which.SOME : Which.ALL);
        }
    }
}
