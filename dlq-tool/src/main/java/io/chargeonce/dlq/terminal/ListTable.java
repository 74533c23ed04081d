package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterView;
import io.chargeonce.payment.Money;
import java.util.List;

/** Dead letters, one a line. One thread. */
public final class ListTable {

    private final Table<DeadLetterView> table;

    public ListTable(Screen screen) {
        this.table = new Table<>(screen, List.of(
                Column.whole("ID", DeadLetterView::id),
                Column.right("AGE", letter -> Ages.brief(letter.age())),
                Column.right("AMOUNT", letter -> letter.money().map(Money::toString).orElse("–")),
                Column.shrinking("CAUSE", 10, DeadLetterView::cause),
                Column.shrinking("PSP", 4, letter -> letter.psp().orElse("–")),
                Column.shrinking("MERCHANT", 4, letter -> letter.merchant().orElse("–")),
                Column.ifRoom("MESSAGE", 16, DeadLetterView::message)));
    }

    /** Pages that follow line up with the first. */
    public void print(List<DeadLetterView> page) {
        table.print(page);
    }

    boolean isEmpty() {
        return table.isEmpty();
    }
}
