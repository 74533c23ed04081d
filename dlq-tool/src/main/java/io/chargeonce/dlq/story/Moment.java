// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.payment.Money;
import java.time.Instant;
import java.util.Optional;

/** Something that happened to a payment, or to a poison record, by the database's clock. */
public sealed interface Moment {

    Instant at();

    record Accepted(Instant at, String merchant, String idempotencyKey) implements Moment {}

    /**
     * The first byte of an attempt was about to leave.
     *
     * @param sends how often it was or may have been sent by now, each time under its one key
     */
    record Sent(Instant at, int attempt, int generation, String psp, String pspKey, Instant keyValidUntil, int sends) implements Moment {}

    /** @param source {@code call}, or {@code query} when we asked afterwards, or {@code webhook}, or {@code hand} for a person's word */
    record Heard(Instant at, int attempt, String psp, String source, String outcome, Optional<String> cause,
            Optional<String> detail, Optional<String> reference) implements Moment {}

    /**
     * @param parked  whether it waits for a PSP to be well rather than for its next counted attempt
     * @param counted whether the failure before it counts; one that turned out to be its PSP's fault is counted no more
     * @param times   how often it was parked there, one wait after the other
     * @param due     when the last of these is over
     */
    record Waited(Instant at, int tier, boolean parked, boolean counted, int times, Optional<String> cause, Instant due)
            implements
                Moment {}

    /**
     * It entered the dead-letter queue.
     *
     * @param message known for the last time only
     * @param counted whether the attempt that it died of counts; empty if it died of none
     */
    record Died(Instant at, String cause, Optional<String> message, Optional<Boolean> counted) implements Moment {}

    /**
     * A refund or a reversal of it, which is an operation of its own.
     *
     * @param state of that operation, now
     */
    record GaveBack(Instant at, String id, String kind, Money money, String state) implements Moment {}

    /**
     * A receipt to the customer.
     *
     * @param at    its end, or its next try
     * @param error of the last try, if it failed
     */
    record Mailed(Instant at, String id, String kind, String state, int tries, Optional<String> error) implements Moment {}

    /**
     * A webhook to one of the merchant's endpoints.
     *
     * @param at    its end, or its next try
     * @param error of the last try, if it failed
     */
    record Notified(Instant at, String id, String event, String endpoint, String state, int tries, Optional<String> error)
            implements
                Moment {}

    /** A person or a service did something that is audited. */
    record Deed(Instant at, String actor, String action, Optional<String> reason, Optional<String> run) implements Moment {}

    /** The order of moments of one instant. */
    default int rank() {
        return switch (this) {
            case Accepted accepted -> 0;
            case Sent sent -> 1;
            case Heard heard -> 2;
            case Waited waited -> 3;
            case Died died -> 4;
            case GaveBack back -> 5;
            case Mailed mailed -> 6;
            case Notified notified -> 7;
            case Deed deed -> 8;
        };
    }
}
