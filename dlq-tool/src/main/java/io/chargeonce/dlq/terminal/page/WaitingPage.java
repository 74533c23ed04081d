// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.query.Mask;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.waiting.EndWait;
import io.chargeonce.dlq.waiting.WaitingPayment;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.text.Ages;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** What waits in the tiers, for a person and for scripts. */
public final class WaitingPage {

    private WaitingPage() {}

    public static void print(List<WaitingPayments.Group> groups, Screen screen) {
        new Table<WaitingPayments.Group>(screen, List.of(
                Column.whole("TIER", group -> where(group.tier())),
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
                Column.whole("TIER", payment -> where(payment.tier())),
                Column.whole("DUE", payment -> due(payment.dueIn())),
                Column.shrinking("STATE", 6, WaitingPayment::state),
                Column.shrinking("CAUSE", 8, WaitingPayment::cause),
                Column.shrinking("PSP", 4, payment -> payment.psp().orElse("–")),
                Column.shrinking("MERCHANT", 4, WaitingPayment::merchant),
                Column.ifRoom("MESSAGE", 16, payment -> Mask.personal(payment.message()))));
    }

    private static String where(int tier) {
        return tier == 0 ? "presentation" : "retry-" + tier;
    }

    public static String due(Duration in) {
        return in.isNegative() || in.isZero() ? "now" : "in " + Ages.brief(in);
    }

    public static void printResult(SumsByKind<EndWait.Result> done, Screen screen) {
        List<EndWait.Result> present = Arrays.stream(EndWait.Result.values()).filter(result -> done.of(result).count() > 0).toList();
        new Table<EndWait.Result>(screen, List.of(
                Column.right("COUNT", result -> "%,d".formatted(done.of(result).count())),
                Column.rightLines("MONEY", result -> done.of(result).moneyLines()),
                Column.whole("RESULT", WaitingPage::inWords))).print(present);
    }

    private static String inWords(EndWait.Result result) {
        return switch (result) {
            case RETRIED -> "staged to be tried now";
            case STOPPED -> "stopped: in the dead-letter queue";
            case GONE -> "did not wait any more: left as it was";
        };
    }
}
