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
        Verdict verdict = Checker.check(Evidence.of(arena.plot().jdbcUrl(), "postgres", "", arena.plot().kafka(),
                List.of(Chargeonce.TIERS), List.of()).topicPrefix(arena.plot().topics().prefix()));
        return verdict.balanced() ? Optional.empty() : Optional.of("the checker says " + verdict.counts());
    }
}
