package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.Fate;
import io.chargeonce.dlq.Standing;
import io.chargeonce.dlq.Sum;

/** What happens to dead letters, in words. */
final class Words {

    private Words() {}

    static String byMerge(Standing standing) {
        return switch (standing) {
            case RECHARGEABLE -> "merge";
            case CHARGED -> "settles as charged";
            case UNRESOLVED -> "resolver first";
            case POISON -> "needs editing: poison cannot be merged";
        };
    }

    static String byPurge(Standing standing) {
        return switch (standing) {
            case RECHARGEABLE -> "purge";
            case CHARGED -> "refused: the money was taken";
            case UNRESOLVED -> "refused: the money may have been taken";
            case POISON -> "purge the record";
        };
    }

    static String of(Standing standing) {
        return switch (standing) {
            case RECHARGEABLE -> "safe to re-charge";
            case CHARGED -> "already charged";
            case UNRESOLVED -> "unresolved";
            case POISON -> "poison";
        };
    }

    static String of(Fate fate) {
        return switch (fate) {
            case REENTERED -> "re-entered the pipeline";
            case SETTLED -> "settled: already charged";
            case ASKED -> "with the resolver now; stays listed until known";
            case PURGED -> "purged";
            case REFUSED -> "refused and left as it was";
            case GONE -> "moved by somebody else meanwhile";
        };
    }

    /** {@code 1 dead letter}, {@code 1,234 dead letters (12.99 EUR)}. */
    static String letters(Sum sum) {
        String money = sum.moneyInWords();
        return "%,d dead letter%s%s".formatted(sum.count(), sum.count() == 1 ? "" : "s", money.isEmpty() ? "" : " (" + money + ")");
    }
}
