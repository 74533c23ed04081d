// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Books.Line;
import io.chargeonce.console.witness.Books.Row;
import java.util.List;
import java.util.Map;

/**
 * What one look at all operations of one part found. Immutable, but for {@code recent}.
 *
 * @param missing    what is neither out nor in flight, as {@code present} of a line
 * @param overdue    the longest overdue, at most {@link #MOST_OVERDUE}
 * @param late       all that is overdue, by currency, as {@code present} of a line
 * @param oldestDue  when the longest overdue was due, in milliseconds; {@link Long#MAX_VALUE} if none is
 * @param open       how many operations have not ended
 * @param judgedAt   the time up to which every record was read; 0 if this look could judge nothing
 * @param unreadable records that could not be read, ever
 * @param missed     records that were deleted before they could be read, ever
 * @param missedAt   when that was last noticed; 0 if never
 */
record Sighting(Map<Row, Line> lines, Map<Row, Line> missing, List<Overdue> overdue, Map<String, Line> late, long oldestDue, long open,
        long judgedAt, long unreadable, long missed, long missedAt, Recent recent) {

    static final int MOST_OVERDUE = 1_000;
}
