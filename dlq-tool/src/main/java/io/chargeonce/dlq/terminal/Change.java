package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.Fate;
import io.chargeonce.dlq.Standing;

/** What a command does to dead letters. */
enum Change {
    MERGE, PURGE;

    String inWords(Standing standing) {
        return switch (this) {
            case MERGE -> Words.byMerge(standing);
            case PURGE -> Words.byPurge(standing);
        };
    }

    boolean refuses(Standing standing) {
        return switch (standing) {
            case RECHARGEABLE, PAST_DEADLINE -> false;
            case NEEDS_A_PERSON -> this == MERGE;
            case CHARGED, UNRESOLVED -> this == PURGE;
            case POISON -> this == MERGE;
        };
    }

    /** Whether this fate is one that the command was called for. */
    static boolean moved(Fate fate) {
        return switch (fate) {
            case REENTERED, SETTLED, ASKED, PURGED -> true;
            case REFUSED, GONE -> false;
        };
    }
}
