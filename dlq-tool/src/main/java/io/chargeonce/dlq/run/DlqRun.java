// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.Sum;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One run as read at one moment.
 *
 * @param fingerprint equal for equal sets of dead letters
 * @param sum         how many dead letters its frozen set holds, and how much money
 * @param verdict     why it was aborted or cancelled
 * @param leader      who leads it, or led it when it was killed
 * @param silence     since the leader's last sign of life
 * @param awaitsApproval whether another person has to approve it before it begins or goes on
 * @param judgedAfter items up to this position have no say any more in whether it goes well
 */
public record DlqRun(
        String id,
        String plannedBy,
        Optional<String> reason,
        Instant plannedAt,
        String fingerprint,
        Sum sum,
        RunTerms terms,
        RunState state,
        Optional<String> verdict,
        Optional<String> leader,
        Optional<Duration> silence,
        int judgedAfter,
        Optional<Instant> endedAt,
        RunKind kind,
        boolean awaitsApproval,
        Optional<String> approvedBy) {

    /** A leader that is silent for longer is dead: it says something every second or so. */
    public static final Duration LONGEST_SILENCE = Duration.ofSeconds(15);

    boolean hasBeenHeardSince(DlqRun before) {
        return silence.orElse(Duration.ZERO).compareTo(before.silence.orElse(Duration.ZERO)) < 0;
    }

    /** How many dead letters its frozen set holds. */
    public long items() {
        return sum.count();
    }

    /** A person who resumed it after it had aborted has seen what had failed by then, so a verdict counts what it sent since. */
    String counted(String all) {
        return all + (judgedAfter > 0 ? " sent since it was resumed" : "");
    }

    /** It had sent everything, and later too many were dead again. */
    DlqRun stoppedBy(String why) {
        return new DlqRun(id, plannedBy, reason, plannedAt, fingerprint, sum, terms, RunState.ABORTED, Optional.of(why), leader, silence,
                judgedAfter, endedAt, kind, awaitsApproval, approvedBy);
    }

    public boolean isLed() {
        return leader.isPresent() && silence.orElse(LONGEST_SILENCE).compareTo(LONGEST_SILENCE) < 0;
    }
}
