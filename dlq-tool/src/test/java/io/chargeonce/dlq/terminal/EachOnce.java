// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.QueueRows;
import java.util.List;

/** What must be true of a change that was broken off anywhere and finished later: each dead letter was moved, and once. */
final class EachOnce {

    private EachOnce() {}

    static void merged(QueueRows rows, List<String> dead) {
        assertThat(rows.accepted()).containsExactlyInAnyOrderElementsOf(dead);
        assertThat(dead).allSatisfy(id -> {
            assertThat(rows.operation(id).generation()).isEqualTo(2);
            assertThat(rows.staged("payments.requests", id)).isEqualTo("record");
            assertThat(rows.letter(id)).isEqualTo("merged/2");
            assertThat(rows.audit(id)).isEqualTo("dlq.merged");
        });
        tableAgrees(rows);
    }

    static void purged(QueueRows rows, List<String> dead) {
        String each = "" + dead.size();
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'purged'")).isEqualTo(each);
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.purged'")).isEqualTo(each);
        assertThat(rows.text("SELECT count(*) FROM outbox WHERE topic = 'payments.dlq' AND value IS NULL")).isEqualTo(each);
        tableAgrees(rows);
    }

    private static void tableAgrees(QueueRows rows) {
        assertThat(Called.of(rows::open, "verify", "--table-only").exit()).isZero();
    }
}
