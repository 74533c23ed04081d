// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.How;
import io.chargeonce.console.witness.Fact.Identity;
import io.chargeonce.console.witness.Fact.Place;
import io.chargeonce.console.witness.Fact.Source;
import io.chargeonce.wire.WaitRecord;
import java.util.Arrays;
import java.util.Optional;

/**
 * What the records that were read so far say about one operation. Each part only grows: the highest step, the highest revision, the set of
 * steps seen. So the result is the same in whatever order the records come, and however often. One thread.
 */
final class ObservedOperation {

    /** Where an operation is, as far as its records say. */
    enum Whereabouts {
        /** On the main topic or a tier, or taken from there. */
        AT_WORK(0),
        /** Only the database has it for a while, and said until when. */
        WAITING(1),
        /** In the dead-letter queue. */
        DEAD(2),
        /** It left the dead-letter queue, and the record that follows was not seen yet. */
        LEFT(3), ENDED(4),
        /** Only a tombstone was seen: neither its money nor its merchant is known. */
        STRANGE(5);

        /** As it is stored, in four bits: it never changes. */
        final int code;

        Whereabouts(int code) {
            this.code = code;
        }

        static Whereabouts of(int code) {
            return Arrays.stream(values()).filter(where -> where.code == code).findFirst()
                    .orElseThrow(() -> new IllegalStateException("Bug! No operation is at " + code));
        }
    }

    /** A wait that only the database has. */
    record Wait(int step, long micros, long until, boolean presentedAgain) {
        static final Wait NONE = new Wait(0, 0, 0, false);

        boolean isAfter(Wait other) {
            return step != other.step ? step > other.step : micros != other.micros ? micros > other.micros : until > other.until;
        }
    }

    /** What a fact added that was not known. */
    record News(boolean visit, boolean letter, boolean outcome) {
        static final News NONE = new News(false, false, false);
    }

    /** @param micros when it was staged, by Postgres's clock; 0 if unknown */
    record Visit(int step, int tier, long at, long micros, Place place) {
        static final Visit NONE = new Visit(0, 0, 0, 0, new Place(0, 0));

        /** Of one step's records that of the main topic is the later one: a wait in a tier was ended early. */
        boolean isAfter(Visit other) {
            if (step != other.step) {
                return step > other.step;
            }
            if (tier != other.tier) {
                return tier == 0 || (other.tier != 0 && tier > other.tier);
            }
            return at != other.at ? at > other.at : place.offset() > other.place.offset();
        }
    }

    Optional<Identity> who = Optional.empty();
    long acceptedAt;
    long lastAt;
    Seen main = Seen.nothing();
    Seen tiers = Seen.nothing();
    Visit visit = Visit.NONE;
    Wait wait = Wait.NONE;

    Seen letters = Seen.nothing();
    int revision;
    How how = How.PURGED;
    long letterAt;
    /** The latest death, in microseconds by Postgres's clock; 0 before any was seen. */
    long diedAt;
    Optional<Source> source = Optional.empty();
    String cause = "";

    int outcome;
    String status = "";
    long outcomeAt;

    /** The dead-letter queue says that no such payment was ever accepted. */
    boolean refuted;
    /** When it was found to be overdue; 0 if it is not. */
    long overdueSince;

    News add(Fact fact, long at) {
        lastAt = Math.max(lastAt, at);
        return switch (fact) {
            case Fact.Work work -> add(work, at);
            case Fact.Outcome end -> add(end, at);
            case Fact.Waits waits -> {
                who = who.or(() -> Optional.of(waits.who()));
                var other = new Wait(waits.step(), waits.stagedAt(), waits.until(), waits.why().equals(WaitRecord.PRESENTED_AGAIN));
                wait = other.isAfter(wait) ? other : wait;
                yield News.NONE;
            }
            case Fact.Letter letter -> add(letter, at);
            case Fact.Left left -> {
                queue(left.revision(), left.how(), at);
                yield News.NONE;
            }
            case Fact.Unreadable none -> News.NONE;
            case Fact.Missed none -> News.NONE;
        };
    }

    private News add(Fact.Work work, long at) {
        who = who.or(() -> Optional.of(work.who()));
        if (work.acceptedAt() > 0 && (acceptedAt == 0 || work.acceptedAt() < acceptedAt)) {
            acceptedAt = work.acceptedAt();
        }
        boolean isNew = (work.tier() == 0 ? main : tiers).add(work.step());
        var other = new Visit(work.step(), work.tier(), at, work.stagedAt(), work.place());
        if (other.isAfter(visit)) {
            visit = other;
            cause = work.cause();
        }
        return new News(isNew, false, false);
    }

    private News add(Fact.Outcome end, long at) {
        who = who.or(() -> Optional.of(end.who()));
        if (end.revision() <= outcome) {
            return News.NONE;
        }
        outcome = end.revision();
        status = end.status();
        outcomeAt = at;
        return new News(false, false, true);
    }

    private News add(Fact.Letter letter, long at) {
        who = who.or(letter::who);
        source = source.or(letter::source);
        diedAt = Math.max(diedAt, letter.diedAt());
        if (who.isEmpty()) {
            cause = letter.cause();
        }
        queue(letter.revision(), How.LIVE, at);
        return new News(false, letters.add(letter.revision()), false);
    }

    private void queue(int newRevision, How newHow, long at) {
        if (newRevision > revision) {
            revision = newRevision;
            how = newHow;
            letterAt = at;
        }
    }

    boolean isListed() {
        return revision > 0 && how == How.LIVE;
    }

    Whereabouts whereabouts() {
        if (refuted || status.equals("succeeded") || status.equals("declined")) {
            return Whereabouts.ENDED;
        }
        if (revision > 0 && how == How.PURGED || outcome > 0 && !isListed()) {
            return who.isEmpty() ? Whereabouts.STRANGE : Whereabouts.ENDED;
        }
        if (revision > 0 && !wentOnAfterTheLetter()) {
            return isListed() ? Whereabouts.DEAD : who.isEmpty() ? Whereabouts.STRANGE : Whereabouts.LEFT;
        }
        return who.isEmpty() ? Whereabouts.STRANGE : waits() ? Whereabouts.WAITING : Whereabouts.AT_WORK;
    }

    /** Whether its last wait in the database began after its last record, and after it was last listed as dead. */
    private boolean waits() {
        return wait.step > visit.step || (wait.step > 0 && wait.step == visit.step && wait.micros >= visit.micros);
    }

    /** By Postgres's clock, which stamped both. A letter that was never seen has no time: then the tombstone's age decides. */
    boolean wentOnAfterTheLetter() {
        // An unknown outcome stays listed while its PSP is asked.
        if (wait.presentedAgain && waits() && diedAt > 0 && wait.micros > diedAt) {
            return true;
        }
        if (visit.step == 0) {
            return false;
        }
        return diedAt > 0 && visit.micros > 0 ? visit.micros > diedAt : visit.at > letterAt - ANY_ORDER_MS;
    }

    /** Records of one transaction reach their topics within this time, in any order. */
    private static final long ANY_ORDER_MS = 60_000;

    /** Whether the queue's topic still lists it although it went on or ended. */
    boolean isListedByMistake() {
        return isListed() && who.isPresent() && whereabouts() != Whereabouts.DEAD;
    }

    /** Nothing more is expected of it. */
    boolean isOver() {
        return switch (whereabouts()) {
            case ENDED -> !isListed();
            case STRANGE -> !isListed();
            case AT_WORK, WAITING, DEAD, LEFT -> false;
        };
    }

    /** The time from which the next sign of it is awaited. */
    long since() {
        return switch (whereabouts()) {
            case AT_WORK -> visit.at;
            case WAITING -> wait.until;
            case LEFT -> letterAt;
            case DEAD, STRANGE -> letterAt;
            case ENDED -> Math.max(letterAt, outcomeAt);
        };
    }

    /** Which of the last 64 numbers were seen. Older ones count as seen, so no repeat counts twice. One thread. */
    static final class Seen {

        private static final int WIDTH = Long.SIZE;

        private int lowest;
        private long bits;

        Seen(int lowest, long bits) {
            this.lowest = lowest;
            this.bits = bits;
        }

        static Seen nothing() {
            return new Seen(0, 0);
        }

        /** @return whether the number is new */
        boolean add(int number) {
            if (number < lowest) {
                return false;
            }
            int above = number - lowest - WIDTH + 1;
            if (above > 0) {
                bits = above >= WIDTH ? 0 : bits >>> above;
                lowest += above;
            }
            long bit = 1L << (number - lowest);
            boolean isNew = (bits & bit) == 0;
            bits |= bit;
            return isNew;
        }

        int lowest() {
            return lowest;
        }

        long bits() {
            return bits;
        }

        boolean isNothing() {
            return lowest == 0 && bits == 0;
        }
    }
}
