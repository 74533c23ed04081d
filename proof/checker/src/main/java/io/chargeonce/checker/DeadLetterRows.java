// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the dead-letter queue's rows, what waits in the outbox, and whether every change was audited. */
final class DeadLetterRows {

    private final ShareContents contents;
    private final String outcomes;
    private final String deadLetters;

    DeadLetterRows(ShareContents contents, String prefix) {
        this.contents = contents;
        this.outcomes = prefix + ".outcomes";
        this.deadLetters = prefix + ".dlq";
    }

    private static final String LETTERS = """
            SELECT dead_letter_id, operation_id, state, cause, revision, source_topic, source_partition, source_offset
              FROM dead_letter
            """;

    private static final String STAGED = "SELECT topic, record_key, refusal FROM outbox";

    /**
     * Revisions count from 1, one for each change; its record names it, no matter who caused it. Where the beginning of the log
     * was forgotten, the first may be gone.
     */
    private static final String AUDITED = """
            SELECT dead_letter_id, revision, count(audit_id) AS records, count(DISTINCT data->>'revision') AS distinct_records
              FROM dead_letter
              LEFT JOIN audit_record ON resource_id = dead_letter_id AND data->>'revision' IS NOT NULL
             GROUP BY dead_letter_id, revision
            HAVING count(audit_id) <> count(DISTINCT data->>'revision')
                OR count(audit_id) <> revision - CASE WHEN EXISTS (SELECT FROM audit_seal WHERE forgotten_to IS NOT NULL)
                       THEN coalesce(min((data->>'revision')::int) - 1, revision) ELSE 0 END
            """;

    void read(DatabaseRows rows) {
        rows.each(LETTERS, this::letter);
        rows.each(STAGED, this::staged);
        if (contents.share.isFirst()) {
            rows.each(AUDITED, this::unaudited);
        }
        contents.payments.values().forEach(this::compare);
    }

    private void unaudited(ResultSet row) throws SQLException {
        contents.findings.add(Invariant.DLQ_ALGEBRA, row.getString("dead_letter_id"),
                "changed %d times in the dead-letter queue, with %d audit records about %d of the changes".formatted(
                        row.getInt("revision"), row.getInt("records"), row.getInt("distinct_records")));
    }

    private void letter(ResultSet row) throws SQLException {
        String id = row.getString("dead_letter_id");
        String operation = row.getString("operation_id");
        boolean live = row.getString("state").equals("dead");
        if (contents.share.holds(id)) {
            contents.letters.put(id, new ShareContents.Letter(live, row.getInt("revision"), operation != null, false));
        }
        if (operation == null) {
            contents.poison.put(Place.of(row.getString("source_topic"), row.getInt("source_partition"), row.getLong("source_offset")),
                    row.getString("cause"));
        } else if (live && contents.share.holds(operation)) {
            CheckedPayment payment = contents.payment(operation);
            payment.liveLetter = true;
            payment.listedUnresolved = row.getString("cause").equals("unresolved");
        }
    }

    private void staged(ResultSet row) throws SQLException {
        String topic = row.getString("topic");
        String key = row.getString("record_key");
        if (!contents.share.holds(key)) {
            return;
        }
        if (row.getString("refusal") != null) {
            contents.findings.add(Invariant.ALIVE_AFTER_HEAL, key,
                    "has a record for %s that the broker refused: %s".formatted(topic, row.getString("refusal")));
            return;
        }
        contents.totals.staged++;
        if (topic.equals(outcomes)) {
            contents.payment(key).outcomePending = true;
        } else if (topic.equals(deadLetters)) {
            contents.letters.computeIfPresent(key,
                    (id, letter) -> new ShareContents.Letter(letter.live(), letter.revision(), letter.ofOperation(), true));
        }
    }

    private void compare(CheckedPayment payment) {
        if (payment.liveLetter && payment.state != State.DEAD
                && !(payment.state == State.UNRESOLVED && payment.listedUnresolved)) {
            contents.findings.add(Invariant.DLQ_ALGEBRA, payment.id, "is listed in the dead-letter queue, but "
                    + (payment.hasRow() ? "is " + payment.state.tag() : "was never accepted"));
        }
        if (payment.state == State.DEAD && !payment.liveLetter) {
            contents.findings.add(Invariant.DLQ_ALGEBRA, PaymentCount.LOST, payment.id, "is dead, but not listed in the dead-letter queue");
        }
    }
}
