// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.words;

import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.ledger.Hold;
import io.chargeonce.wire.PoisonCause;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;

/** The words for states and results of dead letters, and for what people have paused or forced. */
public final class Words {

    public static final String STAYS = "stays";

    private Words() {}

    public static String time(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** A number for which there is little room. */
    public static String brief(long count) {
        return count < 10_000 ? "%,d".formatted(count) : count < 10_000_000 ? count / 1_000 + "k" : count / 1_000_000 + "M";
    }

    public static String byMerge(MoneyStatus standing) {
        return switch (standing) {
            case RECHARGEABLE -> "merge";
            case PAST_DEADLINE -> "merge late";
            case NEEDS_A_PERSON -> "needs a person";
            case STOPPED -> "only by name";
            case CHARGED -> "settles";
            case UNRESOLVED -> "resolver first";
            case POISON -> "needs editing";
            case MENDED -> "sends again";
            case FOREIGN -> "sends back";
            case NO_TARGET -> "no topic to go to";
        };
    }

    /** What a run of this kind would do with what stands so. */
    public static String planned(RunKind kind, RunTerms terms, MoneyStatus standing) {
        return switch (kind) {
            case MERGE -> plannedByMerge(standing == MoneyStatus.STOPPED && terms.evenStopped() ? MoneyStatus.RECHARGEABLE : standing);
            case PURGE -> standing == MoneyStatus.UNRESOLVED && terms.evenUnresolved() ? "purge" : byPurge(standing);
            case RESTORE, STOP -> "back into the queue";
            case RETRY_NOW -> "tried now";
        };
    }

    /** The same for a plan, which has room for what happens to the money. */
    private static String plannedByMerge(MoneyStatus standing) {
        return switch (standing) {
            case RECHARGEABLE -> "tried again; nothing was charged";
            case PAST_DEADLINE -> "tried again, late; nothing was charged";
            case CHARGED -> "settled, not charged again";
            case UNRESOLVED -> "queried, not charged";
            case NEEDS_A_PERSON, STOPPED, POISON, MENDED, FOREIGN, NO_TARGET -> byMerge(standing);
        };
    }

    /** The same for one cause: of some poison no edit makes a payment. */
    public static String byMerge(MoneyStatus standing, String cause) {
        return standing == MoneyStatus.POISON && !canBeEdited(cause) ? STAYS : byMerge(standing);
    }

    public static boolean canBeEdited(String cause) {
        return Arrays.stream(PoisonCause.values()).filter(one -> one.tag().equals(cause)).allMatch(PoisonCause::canBeEdited);
    }

    public static String whyByMerge(MoneyStatus standing) {
        return switch (standing) {
            case RECHARGEABLE -> "no attempt took money, so another one is safe";
            case PAST_DEADLINE -> "no attempt took money, but its time to be charged has passed; a merge gives it a new one";
            case NEEDS_A_PERSON -> "merged too often already and dead each time, so it is merged only when named with --even-capped";
            case STOPPED -> "a person stopped it on purpose, so it is merged only by its id or with --cause stopped";
            case CHARGED -> "the money was taken already: the resolver settles it, nothing is charged again";
            case UNRESOLVED -> "the money may have been taken, so the PSP is queried before anything else";
            case POISON -> "poison cannot be merged before dlq edit has made it readable";
            case MENDED -> "the record was edited, so it goes to its topic again and is read as a new record";
            case FOREIGN ->
                "records of other systems go back to the topics that their headers name; what becomes of them there is not seen here";
            case NO_TARGET ->
                "records of other systems whose headers name no topic that they could go back to: look at them, or purge them";
        };
    }

    private static String byPurge(MoneyStatus standing) {
        return switch (standing) {
            case RECHARGEABLE, PAST_DEADLINE, NEEDS_A_PERSON, STOPPED -> "purge";
            case CHARGED -> "refused: the money was taken";
            case UNRESOLVED -> "refused: the money may have been taken";
            case POISON, MENDED, FOREIGN, NO_TARGET -> "purge: the record only";
        };
    }

    public static String of(MoneyStatus standing) {
        return switch (standing) {
            case RECHARGEABLE -> "rechargeable";
            case PAST_DEADLINE -> "past its deadline";
            case NEEDS_A_PERSON -> "merged too often";
            case STOPPED -> "stopped by a person";
            case CHARGED -> "already charged";
            case UNRESOLVED -> "unresolved";
            case POISON -> "poison";
            case MENDED -> "mended poison";
            case FOREIGN -> "another system's";
            case NO_TARGET -> "names no topic";
        };
    }

    public static String of(RunKind kind, MoveResult result) {
        return switch (result) {
            case REENTERED -> "re-entered the pipeline";
            case ASKED -> "with the resolver now; stays listed until settled";
            case RESENT -> "sent to its topic again";
            case PURGED -> "purged";
            case RESTORED -> "back in the queue";
            case RETRIED -> "staged to be tried now";
            case STOPPED -> "stopped: in the dead-letter queue";
            case REFUSED -> kind == RunKind.STOP
                    ? "not stopped: it was declined, and ends so unless a PSP has another attempt of it" : "refused and left as it was";
            case CLOSED -> "left as it was: no key in the file of CHARGEONCE_DATA_KEY_FILE opens it, or its bytes were changed; add the "
                    + "key, or purge it";
            case NO_TOPIC -> "left as it was: its topic does not exist, or you may not see it (migrate --roles --foreign-topic); create it "
                    + "and merge again, or purge it";
            case TOO_LARGE -> "left as it was: larger than its topic takes; raise max.message.bytes there and merge again, or purge it";
            case GONE -> switch (kind) {
                case MERGE, PURGE, RESTORE -> "another person or run moved it meanwhile";
                case RETRY_NOW -> "was tried meanwhile, or ended: left as it was";
                case STOP -> "not stopped: it was being tried, or ended, or was merged";
            };
        };
    }

    /** Paused, or forced. */
    public static String state(Hold hold) {
        return hold.isPause() ? "paused" : "forced";
    }

    /** {@code PSP stripe}, {@code Merchant acme}, {@code Tier retry-1}: begins a sentence. */
    public static String named(Hold.Kind kind, String name) {
        return switch (kind) {
            case PSP -> "PSP " + name;
            case MERCHANT -> "Merchant " + name;
            case TIER -> "Tier retry-" + name;
        };
    }

    /** One sentence: what, who, since when and why. */
    public static String of(Hold hold) {
        return named(hold.kind(), hold.name()) + " is " + how(hold);
    }

    /** Two sentences about a hold that is no more. */
    public static String ended(Hold hold) {
        return "%s is resumed. It was %s".formatted(named(hold.kind(), hold.name()), how(hold));
    }

    private static String how(Hold hold) {
        return "%s by %s since %s%s: %s".formatted(state(hold), hold.by(), time(hold.since()),
                hold.until().map(Words::time).map(" until "::concat).orElse(""), hold.reason());
    }
}
