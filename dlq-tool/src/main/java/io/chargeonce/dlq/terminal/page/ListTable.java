// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Mask;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.payment.Money;
import io.chargeonce.ledger.PurgedLetters;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.text.Ages;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Dead letters, one per line. One thread. */
public final class ListTable {

    private static final Map<String, Column<DeadLetterView>> COLUMNS = columns();

    public static final String NAMES = String.join(", ", COLUMNS.keySet());
    private static final List<String> USUAL = List.of("id", "age", "amount", "cause", "psp", "merchant", "message");
    private static final List<String> OF_PURGED = List.of("id", "purged", "restorable", "amount", "cause", "psp", "merchant", "message");

    private final Table<DeadLetterView> table;

    /** With the usual columns, as far as the screen has room for them. */
    public ListTable(Screen screen, boolean purged) {
        this.table = new Table<>(screen, (purged ? OF_PURGED : USUAL).stream().map(COLUMNS::get).toList());
    }

    /** With all of these columns, on any screen. */
    public ListTable(Screen screen, List<String> names) {
        this.table = Table.withEveryColumn(screen, names.stream().map(COLUMNS::get).toList());
    }

    public static List<String> unknown(List<String> names) {
        return names.stream().filter(name -> !COLUMNS.containsKey(name)).toList();
    }

    private static Map<String, Column<DeadLetterView>> columns() {
        var columns = new LinkedHashMap<String, Column<DeadLetterView>>();
        columns.put("id", Column.whole("ID", DeadLetterView::id));
        columns.put("age", Column.right("AGE", letter -> Ages.brief(letter.age())));
        columns.put("amount", Column.right("AMOUNT", letter -> letter.money().map(Money::toString).orElse("–")));
        columns.put("cause", Column.shrinking("CAUSE", 10, DeadLetterView::cause));
        columns.put("psp", Column.shrinking("PSP", 4, letter -> letter.psp().orElse("–")));
        columns.put("merchant", Column.shrinking("MERCHANT", 4, letter -> letter.merchant().orElse("–")));
        columns.put("standing", Column.whole("STANDING", letter -> Words.of(letter.standing())));
        columns.put("generation", Column.right("GENERATION", letter -> "" + letter.generation()));
        columns.put("tier", Column.right("TIER", letter -> "" + letter.tier()));
        columns.put("died", Column.whole("DIED", letter -> Words.time(letter.diedAt())));
        columns.put("purged", Column.right("PURGED", letter -> sincePurge(letter).map(Ages::brief).orElse("–")));
        columns.put("restorable", Column.right("RESTORABLE",
                letter -> sincePurge(letter).map(PurgedLetters.KEPT::minus).map(Ages::brief).map("for "::concat).orElse("–")));
        columns.put("message", Column.ifRoom("MESSAGE", 16, letter -> Mask.personal(letter.message())));
        return columns;
    }

    private static Optional<Duration> sincePurge(DeadLetterView letter) {
        return Optional.of(Duration.between(letter.changedAt(), letter.diedAt().plus(letter.age())))
                .filter(since -> letter.state().equals("purged") && !since.isNegative());
    }

    /** Pages that follow line up with the first. */
    public void print(List<DeadLetterView> page) {
        table.print(page);
    }

    public boolean isEmpty() {
        return table.isEmpty();
    }
}
