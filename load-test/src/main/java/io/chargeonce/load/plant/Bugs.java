package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.psp.Charge;
import io.chargeonce.wire.PaymentRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;

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

    static final class SerialKey {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) PspKey key) {
            key = Tampering.serialKey(key);
        }
    }

    static final class RetryUnknown {
        @Advice.OnMethodExit
        static void exit(@Advice.This RetrySchedule schedule, @Advice.Return(readOnly = false) NextStep next) {
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
            Tampering.sentPastTheOutbox(staged);
        }
    }

    /** The whole method is left out. */
    static final class Nothing {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    static final class RequestKey {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object ask, @Advice.Return(readOnly = false) String key) {
            key = Tampering.requestKey(ask, key);
        }
    }

    static final class CardNumber {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampering.withCardNumber(outcome);
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

    static final class PastTheOutbox {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(0) OutboxRow row) {
            return Tampering.sentPastTheOutbox(row);
        }
    }

    static final class ResetToLatest {
        @Advice.OnMethodExit
        static void exit(@Advice.Return Map<String, Object> properties) {
            properties.put("auto.offset.reset", "latest");
        }
    }

    static final class AlwaysTrue {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean answer) {
            answer = true;
        }
    }
}
