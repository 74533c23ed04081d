package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.payment.Outcome;
import io.chargeonce.psp.Charge;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

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

    static final class AfterTheLastId {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) List<?> rows) {
            rows = Tampering.afterTheLastId(rows);
        }
    }

    static final class NotAwaited {
        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Advice.Argument(0) List<?> rows, @Advice.Thrown(readOnly = false) Throwable thrown,
                         @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
            thrown = null;
            result = Tampering.allAcknowledged(rows);
        }
    }

    static final class HighestOffset {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object offsets, @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object mark) {
            Tampering.commitHighest(offsets, mark);
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
