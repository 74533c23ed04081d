package io.chargeonce.load.plant;

import io.chargeonce.checker.Invariant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.matcher.ElementMatchers;

/** A bug that payment pipelines have had, and where to put it. The services themselves know nothing of it. */
public enum Plant {
    TIMEOUT_AS_FAILURE("an unknown outcome is taken for a failure, so that a new attempt is made",
            "psp", List.of(Invariant.ONE_CAPTURE), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "charge", Bugs.TimeoutAsFailure.class)),
    SERVER_ERROR_AS_DECLINE("a PSP's 5xx is taken for a decline",
            "psp", List.of(Invariant.PSP_AGREES), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "charge", Bugs.ServerErrorAsDecline.class)),
    FRESH_PSP_KEY("each send has a key of its own in place of the derived one",
            "kill,network", List.of(Invariant.ONE_CAPTURE), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "create", Bugs.FreshKey.class)),
    FIFTY_MS_EARLY("retries are due 50 ms before their time",
            "psp", List.of(Invariant.NEVER_EARLY), true, new Change("io.chargeonce.kafka.DueTimes", "afterAppend", Bugs.ShorterDelay.class),
            new Change("io.chargeonce.ledger.Operation", "notBefore", Bugs.EarlierDueTime.class)),
    OUTCOME_PAST_THE_OUTBOX("outcome events are sent straight to Kafka, beside the transaction that decided them",
            "kill", List.of(Invariant.OUTCOME_AGREES), true, new Change("io.chargeonce.charge.Changes", "stage", Bugs.PastTheOutbox.class)),
    RELAY_AFTER_THE_LAST_ID("the relay reads only ids above the last one that it saw",
            "postgres,psp", List.of(), true, new Change("io.chargeonce.database.Outbox", "read", Bugs.AfterTheLastId.class)),
    SEND_NOT_AWAITED("the relay deletes rows without waiting for the broker",
            "broker", List.of(Invariant.OUTCOME_AGREES, Invariant.DLQ_ALGEBRA), false,
            new Change("io.chargeonce.database.OutboxSender", "send", Bugs.NotAwaited.class)),
    HIGHEST_OFFSET("the highest finished offset is committed in place of the lowest unfinished one",
            "kill,rebalance", List.of(Invariant.HOP_SOUND), false, new Change("io.chargeonce.kafka.Offsets", "complete", Bugs.HighestOffset.class)),
    RESET_TO_LATEST("a partition without a committed offset is read from its end",
            "kill,rebalance", List.of(), false, new Change("io.chargeonce.kafka.ConsumerSettings", "properties", Bugs.ResetToLatest.class)),
    ANY_BODY_UNDER_A_KEY("a repeated key is answered whatever the body says",
            "psp", List.of(Invariant.IDEMPOTENT_ACCEPT), true, new Change("io.chargeonce.ingest.Command", "hasFingerprint", Bugs.AlwaysTrue.class)),
    CARD_NUMBER_IN_A_MESSAGE("a card number gets into the text of a failure",
            "psp", List.of(Invariant.NO_CARD_DATA), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "charge", Bugs.CardNumber.class)),
    UNIQUE_INDEX_DROPPED("the unique index one_open_attempt is gone",
            "psp", List.of(Invariant.ATTEMPTS_MONOTONE), true);

    /** Advice on all methods of that name. */
    record Change(String type, String method, Class<?> advice) {}

    private final String sentence;
    private final String faults;
    private final List<Invariant> expected;
    private final boolean sweeping;
    private final List<Change> changes;

    Plant(String sentence, String faults, List<Invariant> expected, boolean sweeping, Change... changes) {
        this.sentence = sentence;
        this.faults = faults;
        this.expected = expected;
        this.sweeping = sweeping;
        this.changes = List.of(changes);
    }

    public static Plant fromTag(String tag) {
        return Arrays.stream(values()).filter(plant -> plant.tag().equals(tag)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no bug '%s' to plant; there are %s".formatted(
                        tag, Arrays.stream(values()).map(Plant::tag).toList())));
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String sentence() {
        return sentence;
    }

    /** The kinds of faults, with commas between, under which it shows. */
    public String faults() {
        return faults;
    }

    /** Any of these must be broken. Empty: it must fail to come to rest, and the verdict is unknown. */
    public List<Invariant> expected() {
        return expected;
    }

    /** Settings without which another guard would mend what the bug does before anybody can see it. */
    public Map<String, String> settings() {
        return sweeping ? Map.of() : Map.of("CHARGEONCE_SWEEP_AFTER", "1d");
    }

    /** What the database gets to hear of it. */
    public Optional<String> sql() {
        return this == UNIQUE_INDEX_DROPPED ? Optional.of("DROP INDEX chargeonce.one_open_attempt") : Optional.empty();
    }

    List<Change> changes() {
        return changes;
    }

    public boolean changes(String type) {
        return changes.stream().anyMatch(change -> change.type.equals(type));
    }

    public AsmVisitorWrapper change(String type) {
        Change change = changes.stream().filter(candidate -> candidate.type.equals(type)).findFirst().orElseThrow();
        return Advice.to(change.advice).on(ElementMatchers.named(change.method));
    }
}
