// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.clients.consumer.Consumer;

/** Bugs that reach into what an object keeps for itself. Their code is copied into the place, so it may only call what is public. */
final class FieldBugs {

    private FieldBugs() {}

    static final class MergePastTheOutbox {
        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue("staged") List<OutboxRow> staged) {
            RelayTampering.sentPastTheOutbox(staged);
        }
    }

    static final class NewStep {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "step", readOnly = false) int step) {
            step++;
        }
    }

    static final class NotPaused {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "assignment", typing = Assigner.Typing.DYNAMIC) Object assignment,
                         @Advice.FieldValue("consumer") Consumer<?, ?> consumer) {
            OffsetTampering.resumeAfterARebalance(assignment, consumer);
        }
    }

    static final class NothingAskedAfterAPurge {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "resolveAt", readOnly = false) Optional<Instant> resolveAt) {
            resolveAt = Optional.empty();
        }
    }
}
