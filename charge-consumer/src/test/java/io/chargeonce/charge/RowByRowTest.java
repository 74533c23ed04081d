// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.due.RowByRow;
import io.chargeonce.ledger.DueOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RowByRowTest {

    /** A whole batch of them, first in the list, and again in each pass. */
    @Test
    void a_row_that_can_never_be_changed_hides_nothing_behind_it() throws Exception {
        try (var books = new EngineFixture()) {
            List<String> ids = IntStream.range(0, 8).mapToObj(i -> books.accept("order-" + i)).toList();
            for (int i = 0; i < ids.size(); i++) {
                books.rewrite("""
                        UPDATE operation_state SET state = 'scheduled', represent_at = now() - interval '%d minutes',
                            staged_at = now() - interval '1 day'
                         WHERE operation_id = '%s'
                        """.formatted(60 - i, ids.get(i)));
            }
            var changed = new ArrayList<String>();
            var rows = new RowByRow(books.database, "be changed", DueOperations.forPresentation(), (connection, due) -> {
                if (!due.rows().keySet().stream().allMatch(ids.getLast()::equals)) {
                    throw new IllegalStateException("Bug! Planted");
                }
                changed.addAll(due.rows().keySet());
                return due.rows().size();
            }, () -> {}, 2);
            assertThat(rows.runOnce()).isEqualTo(1);
            assertThat(changed).containsExactly(ids.getLast());
        }
    }
}
