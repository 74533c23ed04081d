package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterView;
import io.chargeonce.payment.Money;
import java.util.List;

/** Dead letters, one a line. One thread. */
public final class ListTable {

    private final Table<DeadLetterView> table;

    public ListTable(Screen screen) {
        this.table = new Table<>(screen, List.of(
                Table.Column.whole("ID", DeadLetterView::id),
                Table.Column.right("AGE", letter -> Ages.brief(letter.age())),
                Table.Column.right("AMOUNT", letter -> letter.money().map(Money::toString).orElse("–")),
                Table.Column.shrinking("CAUSE", 10, DeadLetterView::cause),
                Table.Column.shrinking("PSP", 4, letter -> letter.psp().orElse("–")),
                Table.Column.shrinking("MERCHANT", 4, letter -> letter.merchant().orElse("–")),
                Table.Column.shrinking("MESSAGE", 4, DeadLetterView::message)));
    }

    /** Pages that follow line up with the first. */
    public void print(List<DeadLetterView> page) {
        table.print(page);
    }

    boolean isEmpty() {
        return table.isEmpty();
    }
}
