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
    TIMEOUT_AS_FAILURE("an unknown outcome is taken for a failure, so that a new attempt is made, at another PSP too",
            "psp", List.of(Invariant.ONE_CAPTURE), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "charge", Bugs.TimeoutAsFailure.class)),
    SERVER_ERROR_AS_DECLINE("a PSP's 5xx is taken for a decline",
            "psp", List.of(Invariant.PSP_AGREES), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "charge", Bugs.ServerErrorAsDecline.class)),
    DECLINE_AS_FAILURE("a decline is taken for a failure that may be tried again",
            "psp", List.of(Invariant.PSP_AGREES), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "charge", Bugs.DeclineAsFailure.class)),
    RATE_LIMIT_AS_FAILURE("a 429 on a second send is taken for a definite failure, though the first send may have charged",
            "psp", List.of(Invariant.ONE_CAPTURE), true, new Change("io.chargeonce.payment.OneSend", "judge", Bugs.OneSendIsAll.class),
            new Change("io.chargeonce.psp.stripe.StripeErrors", "whileAsking", Bugs.RateLimitedIsFailed.class)),
    FRESH_PSP_KEY("each send has a key of its own in place of the derived one",
            "kill,network", List.of(Invariant.ONE_CAPTURE), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "create", Bugs.FreshKey.class)),
    SERIAL_IN_PSP_KEY("a number that the database gave out is in the PSP key, so that restored rows would derive others",
            "psp", List.of(Invariant.ATTEMPTS_MONOTONE), true, new Change("io.chargeonce.payment.PspKey", "derive", Bugs.SerialKey.class)),
    NEW_ATTEMPT_WHILE_UNKNOWN("a new attempt is scheduled while the last one has not definitely failed",
            "psp", List.of(Invariant.ALIVE_AFTER_HEAL, Invariant.CONSERVATION), true, new Change("io.chargeonce.payment.RetrySchedule", "after", Bugs.RetryUnknown.class)),
    UNIQUE_INDEX_DROPPED("the unique index one_open_attempt is gone",
            "psp", List.of(Invariant.ATTEMPTS_MONOTONE), true),
    FIFTY_MS_EARLY("retries are due 50 ms before their time",
            "psp", List.of(Invariant.NEVER_EARLY), true, new Change("io.chargeonce.kafka.DueTimes", "afterAppend", Bugs.ShorterDelay.class),
            new Change("io.chargeonce.ledger.Operation", "notBefore", Bugs.EarlierDueTime.class)),
    AMOUNT_FROM_RECORD("the amount is taken from the record in place of the row",
            "psp,redelivery", List.of(Invariant.PSP_AGREES), true, new Change("io.chargeonce.wire.PaymentRecord", "saysTheSameAs", Bugs.RecordIsBelieved.class),
            new Change("io.chargeonce.ledger.Operation", "accepted", Bugs.AmountOfRecord.class)),
    OUTCOME_PAST_THE_OUTBOX("outcome events are sent straight to Kafka, beside the transaction that decided them",
            "kill", List.of(Invariant.OUTCOME_AGREES), true, new Change("io.chargeonce.charge.Changes", "stage", Bugs.PastTheOutbox.class)),
    MERGE_STRAIGHT_TO_KAFKA("a merge sends its records to Kafka itself, beside the transaction that decided them",
            "kill,psp", List.of(Invariant.ALIVE_AFTER_HEAL, Invariant.HOP_SOUND), false,
            new Change("io.chargeonce.dlq.MergeMoves", "write", Bugs.MergePastTheOutbox.class)),
    BLIND_PURGE("a purge takes letters out of the queue without deciding about their payments",
            "psp", List.of(Invariant.DLQ_ALGEBRA), true, new Change("io.chargeonce.dlq.Purge", "save", Bugs.Nothing.class)),
    REFUND_BY_REQUEST("a refund goes by its request in place of its payment and reference",
            "psp", List.of(Invariant.REFUNDS), true, new Change("io.chargeonce.ledger.Refunds$Ask", "entityKey", Bugs.RequestKey.class)),
    RESET_TO_LATEST("a partition without a committed offset is read from its end",
            "redelivery,kill", List.of(Invariant.ALIVE_AFTER_HEAL, Invariant.HOP_SOUND), false,
            new Change("io.chargeonce.kafka.ConsumerSettings", "properties", Bugs.ResetToLatest.class)),
    ANY_BODY_UNDER_A_KEY("a repeated key is answered whatever the body says",
            "psp", List.of(Invariant.IDEMPOTENT_ACCEPT), true, new Change("io.chargeonce.ingest.Command", "hasFingerprint", Bugs.AlwaysTrue.class)),
    CARD_NUMBER_IN_A_MESSAGE("a card number gets into the text of a failure",
            "psp", List.of(Invariant.NO_CARD_DATA), true, new Change("io.chargeonce.psp.stripe.StripeGateway", "charge", Bugs.CardNumber.class));

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

    /** Any of these must be broken. */
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
