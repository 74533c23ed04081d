package io.chargeonce.bench.charge;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.Evidence;
import io.chargeonce.checker.Verdict;
import java.util.List;
import java.util.Optional;

/** The checker over the rows and topics of a run of ours; the stub's ledger is compared for every contestant alike. */
final class OwnBooks {

    private OwnBooks() {}

    static Optional<String> fault(Arena arena) {
        Evidence evidence = Evidence.of(arena.plot().jdbcUrl(), "postgres", "", arena.plot().kafka(),
                List.of(Chargeonce.TIERS), List.of()).topicPrefix(arena.plot().topics().prefix());
        Verdict verdict = Checker.check(evidence);
        return verdict.balanced() ? Optional.empty() : Optional.of("the checker says %s: %s, %d violations, the first: %s".formatted(
                verdict.kind(), verdict.counts(), verdict.violations().size(),
                verdict.violations().stream().findFirst().map(Object::toString).orElse("none")));
    }
}
