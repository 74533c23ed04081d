// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.FailureClass;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.psp.Charge;
import io.chargeonce.wire.PaymentRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.clients.consumer.Consumer;

/** The bugs, each as code that is written into a method of a service at its beginning or its end. */
final class Bugs {

    private Bugs() {}

    static final class TimeoutAsFailure {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.failedIfUnknown(outcome);
        }
    }

    static final class ServerErrorAsDecline {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.declinedIfServerError(outcome);
        }
    }

    static final class DeclineAsFailure {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.failedIfDeclined(outcome);
        }
    }

    /** As if no send had gone before. */
    static final class OneSendIsAll {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) int otherSends) {
            otherSends = 0;
        }
    }

    static final class RateLimitedIsFailed {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.failedIfRateLimited(outcome);
        }
    }

    static final class NotFoundAsFailure {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.failedIfNotFound(outcome);
        }
    }

    static final class SilenceAsFailure {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.failedIfSilent(outcome);
        }
    }

    static final class SerialKey {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) PspKey key) {
            key = Tampering.serialKey(key);
        }
    }

    static final class RetryUnknown {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(2) RetrySchedule schedule, @Advice.Return(readOnly = false) NextStep next) {
            next = Tampering.retriedIfUnknown(schedule, next);
        }
    }

    static final class RecordIsBelieved {
        @Advice.OnMethodExit
        static void exit(@Advice.This PaymentRecord record, @Advice.Return(readOnly = false) boolean same) {
            same = Tampering.believed(record);
        }
    }

    static final class AmountOfRecord {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Operation.Accepted accepted) {
            accepted = Tampering.withAmountOfRecord(accepted);
        }
    }

    static final class MergePastTheOutbox {
        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue("staged") List<OutboxRow> staged) {
            RelayTampering.sentPastTheOutbox(staged);
        }
    }

    /** The whole method is left out. */
    static final class Nothing {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** For five seconds, however short the token's life. */
    static final class Remembered {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Instant now, @Advice.Return(readOnly = false) Instant until) {
            until = now.plusSeconds(5);
        }
    }

    static final class RequestKey {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object request, @Advice.Return(readOnly = false) String key) {
            key = Tampering.requestKey(request, key);
        }
    }

    static final class TooLongIsNotSent {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Throwable failure, @Advice.Return(readOnly = false) Optional<FailureCause> cause) {
            cause = Tampering.notSentIfTooLong(failure, cause);
        }
    }

    static final class CardNumber {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) String text) {
            text = Tampering.withCardNumber(text);
        }
    }

    static final class AsItIs {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) String text, @Advice.Return(readOnly = false) String hidden) {
            hidden = text;
        }
    }

    static final class InTheClear {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(1) byte[] bytes, @Advice.Return(readOnly = false) byte[] sealed) {
            sealed = new byte[bytes.length + 1];
            System.arraycopy(bytes, 0, sealed, 1, bytes.length);
        }
    }

    static final class StillLetIn {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object before,
                         @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object checked) {
            checked = Tampering.right(checked, before);
        }
    }

    static final class FreshKey {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) Charge charge) {
            charge = Tampering.freshKey(charge);
        }
    }

    static final class ShorterDelay {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) Duration delay) {
            delay = delay.minusMillis(50);
        }
    }

    static final class EarlierDueTime {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Instant due) {
            due = due.minusMillis(50);
        }
    }

    static final class DueAtOnce {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Instant due) {
            due = Instant.EPOCH;
        }
    }

    static final class NewStep {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "step", readOnly = false) int step) {
            step++;
        }
    }

    static final class RowIsSeen {
        @Advice.OnMethodExit
        static void exit(@Advice.This PaymentRecord record, @Advice.Argument(0) PaymentRecord row) {
            Tampering.seen(record, row);
        }
    }

    static final class StepOfRow {
        @Advice.OnMethodExit
        static void exit(@Advice.This PaymentRecord record, @Advice.Return(readOnly = false) int step) {
            step = Tampering.stepOfRow(record, step);
        }
    }

    static final class CommittedWhenFetched {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object offsets, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object mark) {
            OffsetTampering.commitHighest(offsets, mark);
        }
    }

    static final class HighestOffset {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object offsets, @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object mark) {
            OffsetTampering.commitHighest(offsets, mark);
        }
    }

    static final class Rebalanced {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object assignment) {
            OffsetTampering.rebalanced(assignment);
        }
    }

    static final class NotPaused {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "assignment", typing = Assigner.Typing.DYNAMIC) Object assignment,
                         @Advice.FieldValue("consumer") Consumer<?, ?> consumer) {
            OffsetTampering.resumeAfterARebalance(assignment, consumer);
        }
    }

    static final class AfterTheLastId {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object frontier,
                         @Advice.Return(readOnly = false) List<?> rows) {
            rows = RelayTampering.afterTheLastId(frontier, rows);
        }
    }

    static final class PastTheOutbox {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(0) OutboxRow row) {
            return RelayTampering.sentPastTheOutbox(row);
        }
    }

    static final class ResetToLatest {
        @Advice.OnMethodExit
        static void exit(@Advice.Return Map<String, Object> properties) {
            properties.put("auto.offset.reset", "latest");
        }
    }

    static final class NoShare {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) String share) {
            share = "";
        }
    }

    static final class FirstRead {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object last,
                         @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object read) {
            read = last;
        }
    }

    static final class AlwaysTrue {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean answer) {
            answer = true;
        }
    }

    static final class AlwaysFalse {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean answer) {
            answer = false;
        }
    }

    static final class NoWriters {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Set<String> writers) {
            writers = Set.of();
        }
    }

    static final class NoFailure {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Optional<Throwable> failure) {
            failure = Optional.empty();
        }
    }

    static final class RefusedIsFailed {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.failedIfRefused(outcome);
        }
    }

    static final class RefusalIsFinal {
        @Advice.OnMethodExit
        static void exit(@Advice.This FailureClass said, @Advice.Return(readOnly = false) boolean ofOneSend) {
            ofOneSend = ofOneSend && said != FailureClass.POISON;
        }
    }

    static final class IsoUnits {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Money money, @Advice.Return(readOnly = false) long amount) {
            amount = money.minorUnits();
        }
    }

    static final class IsoUnitsSaid {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Money money, @Advice.Argument(1) Long amount, @Advice.Return(readOnly = false) boolean same) {
            same = amount != null && amount == money.minorUnits();
        }
    }

    static final class NothingAfterAPurge {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(1) Operation operation) {
            return operation.state() == OperationState.PURGED;
        }
    }

    static final class NothingAskedAfterAPurge {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "resolveAt", readOnly = false) Optional<Instant> resolveAt) {
            resolveAt = Optional.empty();
        }
    }

    static final class NoPspMayTell {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 4, readOnly = false) boolean mayTell) {
            mayTell = false;
        }
    }

    static final class StoppedLikeAnyOther {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) String standing) {
            standing = standing.equals("stopped") ? "rechargeable" : standing;
        }
    }

    static final class WallClock {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Instant time) {
            time = Tampering.wallClock();
        }
    }
}
