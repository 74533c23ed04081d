// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.checker.Checker;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.evidence.CheckEvidence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The checker over the rows and topics of a run of ours; the stub's ledger is compared for every contestant alike. */
final class OwnBooks {

    private static final Duration LONGEST_REST = Duration.ofSeconds(20);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

    private OwnBooks() {}

    /** Every outcome is there before the last undecodable record is a dead letter and its copy on the topic. */
    static void awaitRest(Arena arena) throws InterruptedException {
        long until = System.nanoTime() + LONGEST_REST.toNanos();
        while (verdict(arena).kind() == CheckVerdict.Kind.UNKNOWN && System.nanoTime() < until) {
            Thread.sleep(LOOK_AGAIN);
        }
    }

    static Optional<String> fault(Arena arena) {
        CheckVerdict verdict = verdict(arena);
        return verdict.balanced() ? Optional.empty() : Optional.of("the checker says %s: %s, %d violations, the first: %s".formatted(
                verdict.kind(), verdict.counts(), verdict.violations().size(),
                verdict.violations().stream().findFirst().map(Object::toString).orElse("none")));
    }

    private static CheckVerdict verdict(Arena arena) {
        return Checker.check(CheckEvidence.of(arena.plot().jdbcUrl(), "postgres", "", arena.plot().kafka(), List.of(Chargeonce.TIERS), List.of())
                .topicPrefix(arena.plot().topics().prefix()));
    }
}
