package io.chargeonce.load.simulation;

import io.chargeonce.checker.Invariant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * A bug that can be planted into the services of a universe, for a simulation that never fails proves nothing. Which bugs are
 * missing for a reason is told at the top of the table that {@code load simulate --every-plant} writes.
 */
public enum Flaw {
    OFFSET_BEFORE_DATABASE("an offset is committed before its record is in the database", false,
            List.of(Invariant.HOP_SOUND), new Change("io.chargeonce.kafka.Offsets", "add", Flaws.CommittedWhenFetched.class)),
    HIGHEST_OFFSET("the highest finished offset is committed in place of the lowest unfinished one", false,
            List.of(Invariant.HOP_SOUND), new Change("io.chargeonce.kafka.Offsets", "complete", Flaws.HighestOffset.class)),
    SEND_NOT_AWAITED("the relay deletes rows without waiting for the broker", false,
            List.of(Invariant.OUTCOME_AGREES, Invariant.DLQ_ALGEBRA), new Change("io.chargeonce.database.OutboxSender", "send", Flaws.NotAwaited.class)),
    RELAY_AFTER_THE_LAST_ID("the relay reads only ids above the last one that it saw", true,
            List.of(), new Change("io.chargeonce.database.Outbox", "read", Flaws.AfterTheLastId.class)),
    OUTCOME_PAST_THE_OUTBOX("outcome events are sent straight to Kafka, beside the transaction that decided them", true,
            List.of(Invariant.OUTCOME_AGREES), new Change("io.chargeonce.charge.Changes", "stage", Flaws.PastTheOutbox.class)),
    FIFTY_MS_EARLY("retries are due 50 ms before their time", true,
            List.of(Invariant.NEVER_EARLY), new Change("io.chargeonce.kafka.DueTimes", "afterAppend", Flaws.ShorterDelay.class),
            new Change("io.chargeonce.ledger.Operation", "notBefore", Flaws.EarlierDueTime.class)),
    DUE_BY_THE_CONSUMERS_CLOCK("when a retry is due is read from the record and the consumer's clock, and not from the database", true,
            List.of(Invariant.NEVER_EARLY), new Change("io.chargeonce.ledger.Operation", "notBefore", Flaws.DueAtOnce.class)),
    UNKNOWN_AS_FAILURE("an unknown outcome is taken for a failure, so that a new attempt is made", true,
            List.of(Invariant.ONE_CAPTURE), new Change("io.chargeonce.charge.Exchange", "ask", Flaws.UnknownAsFailure.class)),
    NOT_FOUND_AS_FAILURE("a PSP that does not know an attempt yet is taken to say that it failed", true,
            List.of(Invariant.ONE_CAPTURE), new Change("io.chargeonce.load.universe.PspGateway", "findOut", Flaws.NotFoundAsFailure.class)),
    LEASE_NOT_COMPARED("whoever comes with an answer decides, though its lease is another's by now", true,
            List.of(), new Change("io.chargeonce.ledger.Operation", "isHeldUnder", Flaws.AlwaysTrue.class));

    /** Advice on all methods of that name. */
    record Change(String type, String method, Class<?> advice) {}

    private final String sentence;
    private final boolean sweeping;
    private final List<Invariant> expected;
    private final List<Change> changes;

    Flaw(String sentence, boolean sweeping, List<Invariant> expected, Change... changes) {
        this.sentence = sentence;
        this.sweeping = sweeping;
        this.expected = expected;
        this.changes = List.of(changes);
    }

    public static Flaw fromTag(String tag) {
        return Arrays.stream(values()).filter(flaw -> flaw.tag().equals(tag)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no bug '%s' to plant; there are %s".formatted(
                        tag, Arrays.stream(values()).map(Flaw::tag).toList())));
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String sentence() {
        return sentence;
    }

    /** Whether the sweeper works: for some bugs it would mend what they do before anybody can see it. */
    boolean sweeping() {
        return sweeping;
    }

    /** Any of these is broken by it. Empty: it does not come to rest. */
    public List<Invariant> expected() {
        return expected;
    }

    boolean changes(String type) {
        return changes.stream().anyMatch(change -> change.type.equals(type));
    }

    AsmVisitorWrapper change(String type) {
        Change change = changes.stream().filter(candidate -> candidate.type.equals(type)).findFirst().orElseThrow();
        return Advice.to(change.advice).on(ElementMatchers.named(change.method));
    }
}
