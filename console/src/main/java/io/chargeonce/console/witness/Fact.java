// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.util.Arrays;
import java.util.Optional;

/** What one record of the pipeline says about one operation. All else in the record is left out: no card, no customer. */
sealed interface Fact {

    /** Where the record is. */
    record Place(int partition, long offset) {}

    /** Whom it concerns. Money in minor units. */
    record Identity(String paymentId, String kind, String merchant, long amount, String currency) {}

    /**
     * Work on the main topic or a tier.
     *
     * @param tier       of the topic on which it is; 0 is the main topic
     * @param stagedAt   microseconds by Postgres's clock; 0 if the record does not say
     * @param acceptedAt milliseconds by Postgres's clock; 0 if the record does not say
     * @param cause      the failure that it waits after; empty if there was none
     */
    record Work(Identity who, int step, int tier, long stagedAt, long acceptedAt, String cause, Place place) implements Fact {}

    record Outcome(Identity who, int revision, String status, String cause, String psp, Place place) implements Fact {}

    /**
     * It goes on only in the database for a while.
     *
     * @param until in milliseconds by Postgres's clock
     */
    record Waits(Identity who, int step, long stagedAt, long until, String why, Place place) implements Fact {}

    /**
     * A live dead letter.
     *
     * @param diedAt microseconds by Postgres's clock
     * @param source of poison: the topic and the place of the record; empty otherwise
     */
    record Letter(Optional<Identity> who, int revision, long diedAt, String cause, String psp, Optional<Source> source, Place place)
            implements
                Fact {}

    record Source(String topic, Place place) {}

    /** A dead letter that left the queue. */
    record Left(int revision, How how, Place place) implements Fact {}

    enum How {

        LIVE(0), MERGED(1), SETTLED(2), PURGED(3);

        /** As it is stored: it never changes. */
        final int code;

        How(int code) {
            this.code = code;
        }

        static How of(int code) {
            return Arrays.stream(values()).filter(how -> how.code == code).findFirst()
                    .orElseThrow(() -> new IllegalStateException("Bug! No letter leaves the queue by " + code));
        }
    }

    /** A record that is not one of the pipeline's, or that a later release wrote. */
    record Unreadable() implements Fact {}

    /** Records of a topic were deleted before they could be read. */
    record Missed(long count) implements Fact {}
}
