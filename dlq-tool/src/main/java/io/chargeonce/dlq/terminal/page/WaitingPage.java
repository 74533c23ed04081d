// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.query.Mask;
import io.chargeonce.text.Ages;
import io.chargeonce.dlq.waiting.WaitingPayment;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.ledger.Operation;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.time.Duration;
import java.util.List;

/** What waits in the tiers, for a person and for scripts. */
public final class WaitingPage {

    private WaitingPage() {}

    public static void print(List<WaitingPayments.Group> groups, Screen screen) {
        new Table<WaitingPayments.Group>(screen, List.of(
                Column.whole("TIER", group -> where(group.tier(), group.cause())),
                Column.whole("STATE", WaitingPayments.Group::state),
                Column.shrinking("CAUSE", 10, WaitingPayments.Group::cause),
                Column.shrinking("PSP", 4, group -> group.psp().orElse("–")),
                Column.right("COUNT", group -> "%,d".formatted(group.sum().count())),
                Column.rightLines("MONEY", group -> group.sum().moneyLines()),
                Column.whole("NEXT DUE", group -> due(group.first())),
                Column.whole("LAST DUE", group -> due(group.last())))).print(groups);
    }

    public static Table<WaitingPayment> table(Screen screen) {
        return new Table<>(screen, List.of(
                Column.whole("ID", WaitingPayment::id),
                Column.right("AMOUNT", payment -> payment.money().toString()),
                Column.whole("TIER", payment -> where(payment.tier(), payment.cause())),
                Column.whole("DUE", payment -> due(payment.dueIn())),
                Column.shrinking("STATE", 6, WaitingPayment::state),
                Column.shrinking("CAUSE", 8, WaitingPayment::cause),
                Column.shrinking("PSP", 4, payment -> payment.psp().orElse("–")),
                Column.shrinking("MERCHANT", 4, WaitingPayment::merchant),
                Column.ifRoom("MESSAGE", 16, payment -> Mask.personal(payment.message()))));
    }

    private static String where(int tier, String cause) {
        if (tier > 0) {
            return "retry-" + tier;
        }
        return cause.equals(Operation.DECLINE_UNVERIFIED) ? "decline" : "presentation";
    }

    public static String due(Duration in) {
        return in.isNegative() || in.isZero() ? "now" : "in " + Ages.brief(in);
    }
}
