// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

/** What a universe's database waits for before everything in it has ended. */
public enum Waits {
    /** Nothing is under way. */
    NOTHING("""
            SELECT NOT EXISTS (SELECT FROM operation_state
                                WHERE state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved') OR resolve_at IS NOT NULL
                                   OR state = 'canceled' AND settled_at IS NULL)
               AND NOT EXISTS (SELECT FROM outbox WHERE refusal IS NULL)
            """),
    /** All that is left are cards that are to be presented again days later. */
    DAYS("""
            SELECT EXISTS (SELECT FROM operation_state WHERE represent_at IS NOT NULL)
               AND NOT EXISTS (SELECT FROM operation_state
                                WHERE state = 'accepted' OR resolve_at IS NOT NULL OR state = 'scheduled' AND represent_at IS NULL
                                   -- A refund may wait for a payment that is presented again, or whose purge may be undone.
                                   OR state = 'parked' AND failure_cause IS DISTINCT FROM 'waits_for_payment')
            """),
    /** All that is left are debits of which a person may not say yet that they were not collected. */
    HOURS("""
            SELECT EXISTS (SELECT FROM operation_state WHERE psp LIKE 'bank%' AND (state = 'unresolved' OR resolve_at IS NOT NULL))
               AND NOT EXISTS (SELECT FROM operation_state
                                WHERE (state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved') OR resolve_at IS NOT NULL)
                                  AND represent_at IS NULL AND failure_cause IS DISTINCT FROM 'waits_for_payment'
                                  AND NOT (psp LIKE 'bank%' AND state IN ('unresolved', 'purged')))
            """),
    /** All that is left are refunds that wait until the purge of their payment is final. */
    A_MONTH("""
            SELECT EXISTS (SELECT FROM operation_state WHERE state = 'parked')
               AND NOT EXISTS (SELECT FROM operation_state JOIN operation USING (operation_id)
                                WHERE (state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved') OR resolve_at IS NOT NULL)
                                  AND NOT (state = 'parked' AND failure_cause IS NOT DISTINCT FROM 'waits_for_payment' AND EXISTS (
                                      SELECT FROM operation_state AS its WHERE its.operation_id = payment_id AND its.state = 'purged'
                                                                           AND its.settled_at IS NULL)))
            """),
    /** All that is left are status queries about what was purged. */
    STATUS_QUERIES("""
            SELECT EXISTS (SELECT FROM operation_state WHERE state = 'purged' AND resolve_at IS NOT NULL)
               AND NOT EXISTS (SELECT FROM operation_state
                                WHERE state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved')
                                   OR resolve_at IS NOT NULL AND (state <> 'purged' OR psp LIKE 'bank%'))
               AND NOT EXISTS (SELECT FROM outbox WHERE refusal IS NULL)
            """);

    private final String question;

    Waits(String question) {
        this.question = question;
    }

    String question() {
        return question;
    }
}
