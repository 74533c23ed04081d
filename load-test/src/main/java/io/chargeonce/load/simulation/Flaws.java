package io.chargeonce.load.simulation;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.load.universe.Tampered;
import io.chargeonce.payment.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The flaws, each as code that is written into a method of a service at its beginning or its end. */
final class Flaws {

    private Flaws() {}

    static final class CommittedWhenFetched {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object offsets, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object mark) {
            Tampered.commitHighest(offsets, mark);
        }
    }

    static final class HighestOffset {
        @Advice.OnMethodExit
        static void exit(@Advice.This Object offsets, @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object mark) {
            Tampered.commitHighest(offsets, mark);
        }
    }

    static final class NotAwaited {
        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Advice.Argument(0) List<?> rows, @Advice.Thrown(readOnly = false) Throwable thrown,
                         @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
            result = Tampered.allAcknowledged(rows, thrown);
            thrown = null;
        }
    }

    static final class AfterTheLastId {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) List<?> rows) {
            rows = Tampered.afterTheLastId(rows);
        }
    }

    static final class PastTheOutbox {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(0) OutboxRow row) {
            return Tampered.sentPastTheOutbox(row);
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

    static final class UnknownAsFailure {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampered.failedIfUnknown(outcome);
        }
    }

    static final class NotFoundAsFailure {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) Outcome outcome) {
            outcome = Tampered.failedIfNotFound(outcome);
        }
    }

    static final class AlwaysTrue {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean answer) {
            answer = true;
        }
    }
}
