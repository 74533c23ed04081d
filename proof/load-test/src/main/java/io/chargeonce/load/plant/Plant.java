// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import static io.chargeonce.checker.finding.Invariant.ACCEPTED_DURABLE;
import static io.chargeonce.checker.finding.Invariant.ALIVE_AFTER_HEAL;
import static io.chargeonce.checker.finding.Invariant.ATTEMPTS_MONOTONE;
import static io.chargeonce.checker.finding.Invariant.AUDIT_SEALED;
import static io.chargeonce.checker.finding.Invariant.BOUNDED;
import static io.chargeonce.checker.finding.Invariant.CONSERVATION;
import static io.chargeonce.checker.finding.Invariant.DLQ_ALGEBRA;
import static io.chargeonce.checker.finding.Invariant.HOLDS_HOLD;
import static io.chargeonce.checker.finding.Invariant.HOP_SOUND;
import static io.chargeonce.checker.finding.Invariant.IDEMPOTENT_ACCEPT;
import static io.chargeonce.checker.finding.Invariant.MONEY_SUM;
import static io.chargeonce.checker.finding.Invariant.NEVER_EARLY;
import static io.chargeonce.checker.finding.Invariant.NO_CARD_DATA;
import static io.chargeonce.checker.finding.Invariant.ONE_CAPTURE;
import static io.chargeonce.checker.finding.Invariant.ONE_FILE;
import static io.chargeonce.checker.finding.Invariant.OTHERS_GO_ON;
import static io.chargeonce.checker.finding.Invariant.OUTCOME_AGREES;
import static io.chargeonce.checker.finding.Invariant.PSP_AGREES;
import static io.chargeonce.checker.finding.Invariant.RECEIPTS_AGREE;
import static io.chargeonce.checker.finding.Invariant.REFUNDS;
import static io.chargeonce.checker.finding.Invariant.RIGHTS_HOLD;
import static io.chargeonce.checker.finding.Invariant.WEBHOOKS_AGREE;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.load.game.Fault;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * A bug that payment pipelines have had, where to put it, and at which levels it shows. The services' code does not know it.
 */
public enum Plant implements Weaving {
    AMOUNT_FROM_RECORD("the amount is taken from the record in place of the row",
            Shows.inCampaigns("psp,redelivery"), List.of(PSP_AGREES),
            new Change("io.chargeonce.wire.PaymentRecord", "saysTheSameAs", Bugs.RecordIsBelieved.class),
            new Change("io.chargeonce.ledger.OperationRow", "accepted", Bugs.AmountOfRecord.class)),
    ANY_BODY_UNDER_A_KEY("a repeated key is answered although the body says something else",
            Shows.everywhere("psp"), List.of(IDEMPOTENT_ACCEPT),
            new Change("io.chargeonce.ingest.accept.RequestFingerprint", "isTheSameAs", Bugs.AlwaysTrue.class)),
    BACKLOG_TAKEN_FOR_LOSS("what waits in a backlog is staged again as if Kafka had lost it",
            Shows.inUniversesOf(Fault.OUTAGE, Fault.FREEZE, Fault.HANG), List.of(BOUNDED, HOP_SOUND, ALIVE_AFTER_HEAL),
            new Change("io.chargeonce.charge.due.Sweeper$Suspects", "arePassed", Bugs.AlwaysTrue.class)),
    BLIND_PURGE("a purge takes letters out of the queue without deciding about their payments",
            Shows.everywhere("psp"), List.of(DLQ_ALGEBRA), new Change("io.chargeonce.dlq.run.Purge", "save", Bugs.Nothing.class)),
    CANCEL_LEAVES_THE_RECORD("a cancel does not supersede the record that is on its way, and the payment is charged",
            Shows.inUniversesOf(Fault.CANCEL), List.of(ATTEMPTS_MONOTONE)),
    CARD_NUMBER_IN_A_MESSAGE("a card number gets into the text of a failure",
            Shows.inCampaigns("psp"), List.of(NO_CARD_DATA),
            new Change("io.chargeonce.payment.CardNumbers", "hiddenIn", Bugs.CardNumber.class)),
    DEBIT_IN_TWO_FILES("a debit that the bank has not answered yet goes into the next file as well",
            Shows.everywhere("bank").in(Fault.BANK, Fault.KILL), List.of(ONE_FILE, ONE_CAPTURE)),
    DECLINE_AS_FAILURE("a decline is taken for a failure that may be tried again",
            Shows.everywhere("psp"), List.of(PSP_AGREES),
            new Change("io.chargeonce.charge.call.PspExchange", "send", Bugs.DeclineAsFailure.class)),
    DELETED_UNACKNOWLEDGED("the relay deletes rows although the broker refused them",
            Shows.everywhere("kafka-refuses").withoutSweeper(), List.of(ALIVE_AFTER_HEAL, OUTCOME_AGREES, DLQ_ALGEBRA),
            new Change("io.chargeonce.database.OutboxSender", "failure", Bugs.NoFailure.class)),
    DUE_BY_THE_CONSUMERS_CLOCK("when a retry is due is read from the record and the consumer's clock, and not from the database",
            Shows.inSimulation(), List.of(NEVER_EARLY), new Change("io.chargeonce.ledger.OperationRow", "notBefore", Bugs.DueAtOnce.class)),
    FAILED_REFUND_DROPPED("a refund that fails after it was paid stays paid",
            Shows.inUniversesOf(Fault.FAILED_REFUND), List.of(PSP_AGREES),
            new Change("io.chargeonce.charge.outcome.LateAnswers", "failedAfterSuccess", Bugs.Nothing.class)),
    FIFTY_MS_EARLY("retries are due 50 ms before their time",
            Shows.inSimulation(), List.of(NEVER_EARLY),
            new Change("io.chargeonce.kafka.loop.DueTimes", "afterAppend", Bugs.ShorterDelay.class),
            new Change("io.chargeonce.ledger.OperationRow", "notBefore", Bugs.EarlierDueTime.class)),
    FILE_RENDERED_TWICE("a bank's file that a person has sent once more is rendered once more, so that other bytes go under its message id",
            Shows.inUniversesOf(Fault.BANK), List.of(ONE_FILE)),
    FRESH_PSP_KEY("each send has a key of its own in place of the derived one",
            Shows.everywhere("kill,network").in(Fault.PSP_CALL, Fault.KILL, Fault.WEBHOOK), List.of(ONE_CAPTURE, PSP_AGREES),
            new Change("io.chargeonce.psp.stripe.StripeGateway", "create", Bugs.FreshKey.class),
            new Change("io.chargeonce.psp.adyen.AdyenGateway", "send", Bugs.FreshKey.class)),
    HIGHEST_OFFSET("the highest finished offset is committed in place of the lowest unfinished one",
            Shows.inSimulation().withoutSweeper(), List.of(HOP_SOUND),
            new Change("io.chargeonce.kafka.loop.Offsets", "complete", Bugs.HighestOffset.class)),
    LATE_TRUTH_SWALLOWED("money that moved after a purge is not recorded",
            Shows.inUniversesOf(Fault.PSP_CALL, Fault.HARSH_OPERATOR, Fault.KILL), List.of(CONSERVATION, PSP_AGREES, MONEY_SUM),
            new Change("io.chargeonce.charge.outcome.LateAnswers", "succeeded", Bugs.NothingAfterAPurge.class),
            new Change("io.chargeonce.ledger.Operation", "purge", Bugs.NothingAskedAfterAPurge.class)),
    MERGE_STRAIGHT_TO_KAFKA("a merge sends its records to Kafka itself, beside the transaction that decided them",
            Shows.inCampaigns("kill,psp").withoutSweeper(), List.of(ALIVE_AFTER_HEAL, HOP_SOUND),
            new Change("io.chargeonce.dlq.run.MergeMoves", "write", Bugs.MergePastTheOutbox.class)),
    NEW_ATTEMPT_WHILE_UNKNOWN("a new attempt is scheduled while the last one has not definitely failed",
            Shows.inSimulation(), List.of(ALIVE_AFTER_HEAL, CONSERVATION),
            new Change("io.chargeonce.payment.Decision", "after", Bugs.RetryUnknown.class)),
    NO_SLOW_START("all that waits for a PSP goes at once when it is well again",
            Shows.inUniversesOf(Fault.PSP_UNWELL), List.of(BOUNDED),
            new Change("io.chargeonce.psp.RateLimit", "recovered", Bugs.Nothing.class)),
    NO_PROBE("a PSP that was unwell gets no payment that could show that it is well again",
            Shows.inUniversesOf(Fault.PSP_UNWELL, Fault.OUTAGE, Fault.WRONG_ACCOUNT), List.of(ALIVE_AFTER_HEAL),
            new Change("io.chargeonce.psp.PspHealth", "takeProbe", Bugs.AlwaysFalse.class)),
    NOT_FOUND_AS_FAILURE("a PSP that does not know an attempt yet is taken to say that it failed",
            Shows.inUniversesOf(Fault.PSP_CALL, Fault.KILL, Fault.FREEZE, Fault.WEBHOOK, Fault.STALE_SEARCH),
            List.of(ONE_CAPTURE, REFUNDS, PSP_AGREES),
            new Change("io.chargeonce.charge.call.PspExchange", "ask", Bugs.NotFoundAsFailure.class)),
    OFFSET_BEFORE_DATABASE("an offset is committed before its record is in the database",
            Shows.inSimulation().withoutSweeper(), List.of(HOP_SOUND),
            new Change("io.chargeonce.kafka.loop.Offsets", "add", Bugs.CommittedWhenFetched.class)),
    ONE_LINE_FOR_ALL_MERCHANTS("records wait in one line, so that one merchant's hanging calls hold up all others",
            Shows.inUniversesOf(Fault.HUNG_MERCHANT), List.of(OTHERS_GO_ON),
            new Change("io.chargeonce.kafka.loop.Workers", "shareOf", Bugs.NoShare.class)),
    OLDER_LIFE_TAKEN("what Stripe has of a payment that is forgotten is taken for the attempt of a new one under its key",
            Shows.inUniversesOf(Fault.OLD_KEY, Fault.PSP_CALL, Fault.KILL), List.of(PSP_AGREES, MONEY_SUM),
            new Change("io.chargeonce.psp.stripe.StripeGateway", "isOlder", Bugs.AlwaysFalse.class)),
    OUTCOME_PAST_THE_OUTBOX("outcome events are sent straight to Kafka, beside the transaction that decided them",
            Shows.inSimulation(), List.of(OUTCOME_AGREES),
            new Change("io.chargeonce.charge.outcome.UnitOfWork", "stage", Bugs.PastTheOutbox.class)),
    PAUSE_FORGOTTEN("a full partition is paused no more once there was a rebalance",
            Shows.inSimulation(), List.of(BOUNDED), new Change("io.chargeonce.kafka.loop.Assignment", "add", Bugs.Rebalanced.class),
            new Change("io.chargeonce.kafka.loop.Backpressure", "pauseWhatIsFullAndResumeTheRest", Bugs.NotPaused.class)),
    PRODUCER_KEPT("the relay keeps a producer that has failed for good",
            Shows.inUniversesOf(Fault.PRODUCER_FATAL), List.of(ALIVE_AFTER_HEAL),
            new Change("io.chargeonce.database.RelayProducer", "replace", Bugs.Nothing.class)),
    RATE_LIMIT_AS_FAILURE("a 429 on a second send is taken for a definite failure, though the first send may have charged",
            Shows.everywhere("psp").in(Fault.PSP_CALL, Fault.PSP_THROTTLES, Fault.WEBHOOK), List.of(ONE_CAPTURE, PSP_AGREES),
            new Change("io.chargeonce.payment.OneSend", "judge", Bugs.OneSendIsAll.class),
            new Change("io.chargeonce.psp.stripe.StripeErrors", "whileAsking", Bugs.RateLimitedIsFailed.class)),
    REFUND_BY_REQUEST("a refund goes by its request in place of its payment and reference",
            Shows.everywhere("psp"), List.of(REFUNDS),
            new Change("io.chargeonce.ledger.Refunds$RefundRequest", "entityKey", Bugs.RequestKey.class)),
    PSP_QUOTE_KEPT("a card number that a PSP quotes is kept as it is",
            Shows.inUniversesOf(Fault.CARD_DATA, Fault.PSP_CALL), List.of(NO_CARD_DATA),
            new Change("io.chargeonce.payment.CardNumbers", "hiddenIn", Bugs.AsItIs.class)),
    QUESTION_AFTER_A_CANCEL("a question about a payment that is to be canceled executes it",
            Shows.inUniversesOf(Fault.CANCEL, Fault.PSP_CALL), List.of(HOLDS_HOLD),
            new Change("io.chargeonce.psp.PspCall", "questionMayExecute", Bugs.AlwaysFalse.class)),
    POISON_IN_THE_CLEAR("poison is kept as it was found, unsealed",
            Shows.inUniversesOf(Fault.CARD_DATA), List.of(NO_CARD_DATA),
            new Change("io.chargeonce.vault.Vault", "seal", Bugs.InTheClear.class)),
    ERASURE_FORGETS_A_COPY("an erasure leaves what a key's request says",
            Shows.inUniversesOf(Fault.ERASURE, Fault.KILL), List.of(NO_CARD_DATA)),
    BATCH_LET_IN_ONCE("an open batch goes on under a token that was revoked meanwhile",
            Shows.inUniversesOf(Fault.TOKEN), List.of(RIGHTS_HOLD),
            new Change("io.chargeonce.ingest.merchants.Merchants", "again", Bugs.StillLetIn.class)),
    EXPIRED_TOKEN_REMEMBERED("a token is let in for seconds after it has expired, because ingest remembers it",
            Shows.inUniversesOf(Fault.TOKEN), List.of(RIGHTS_HOLD),
            new Change("io.chargeonce.ingest.merchants.Merchants", "until", Bugs.Remembered.class)),
    REFUSED_QUESTION_AS_FAILURE("a PSP that refuses a question (401, 403, 404) is taken to say that the attempt failed",
            Shows.inUniversesOf(Fault.PSP_CALL, Fault.WRONG_ACCOUNT, Fault.KILL), List.of(ONE_CAPTURE, REFUNDS, PSP_AGREES, MONEY_SUM),
            new Change("io.chargeonce.psp.stripe.StripeErrors", "whileAsking", Bugs.RefusedIsFailed.class),
            new Change("io.chargeonce.psp.adyen.AdyenErrors", "whileAsking", Bugs.RefusedIsFailed.class),
            new Change("io.chargeonce.payment.FailureClass", "describesOneSend", Bugs.RefusalIsFinal.class)),
    RELAY_AFTER_THE_LAST_ID("the relay reads only ids above the last one that it saw",
            Shows.inSimulation(), List.of(ALIVE_AFTER_HEAL),
            new Change("io.chargeonce.database.Outbox", "read", Bugs.AfterTheLastId.class)),
    RESET_TO_LATEST("a partition without a committed offset is read from its end",
            Shows.inSimulation().withoutSweeper(), List.of(ALIVE_AFTER_HEAL, HOP_SOUND),
            new Change("io.chargeonce.kafka.ConsumerSettings", "properties", Bugs.ResetToLatest.class)),
    RETENTION_FROM_ACCEPTANCE("a payment is forgotten by the age of its acceptance, however late it was charged",
            Shows.inUniversesOf(Fault.OLD_LETTER), List.of(ONE_CAPTURE, ACCEPTED_DURABLE)),
    SEALED_TOO_EARLY("the audit log is sealed up to the last id that was given out, beside transactions that still append",
            Shows.inUniversesOf(Fault.CONNECTION), List.of(AUDIT_SEALED),
            new Change("io.chargeonce.audit.AuditWatermark", "writers", Bugs.NoWriters.class)),
    SECRET_OF_THE_START("a secret is read when a process starts and never again, so that a changed key is not noticed",
            Shows.inUniversesOf(Fault.PSP_KEY), List.of(OTHERS_GO_ON),
            new Change("io.chargeonce.runtime.Secret", "again", Bugs.FirstRead.class)),
    SERIAL_IN_PSP_KEY("a number that the database gave out is in the PSP key, so that restored rows would derive others",
            Shows.everywhere("psp"), List.of(ATTEMPTS_MONOTONE),
            new Change("io.chargeonce.payment.PspKey", "derive", Bugs.SerialKey.class)),
    SERVER_ERROR_AS_DECLINE("a PSP's 5xx is taken for a decline",
            Shows.everywhere("psp"), List.of(PSP_AGREES),
            new Change("io.chargeonce.charge.call.PspExchange", "send", Bugs.ServerErrorAsDecline.class)),
    SETTLED_WHILE_THE_PSP_MAY_TELL("a person's reference is believed while the PSP only fails for the moment",
            Shows.inUniversesOf(Fault.HASTY_FINDING, Fault.PSP_CALL), List.of(PSP_AGREES),
            new Change("io.chargeonce.charge.outcome.ByHand", "after", Bugs.NoPspMayTell.class)),
    SILENCE_AS_FAILURE("a bank that has not answered in time is taken to say that it does not collect",
            Shows.inUniversesOf(Fault.BANK, Fault.KILL), List.of(ONE_CAPTURE, PSP_AGREES),
            new Change("io.chargeonce.charge.bank.BankGateway", "find", Bugs.SilenceAsFailure.class)),
    STEP_NOT_COMPARED("a record is worked on even if it was staged for another step",
            Shows.inSimulation(), List.of(HOP_SOUND), new Change("io.chargeonce.wire.PaymentRecord", "saysTheSameAs", Bugs.RowIsSeen.class),
            new Change("io.chargeonce.wire.PaymentRecord", "step", Bugs.StepOfRow.class)),
    STOPPED_IS_RECHARGEABLE("what a person stopped on purpose is merged like any other dead letter",
            Shows.inUniversesOf(Fault.STOP, Fault.PSP_UNWELL, Fault.OUTAGE), List.of(DLQ_ALGEBRA),
            new Change("io.chargeonce.dlq.query.MoneyStatus", "fromTag", Bugs.StoppedLikeAnyOther.class)),
    STRIPE_IN_ISO_UNITS("Stripe is asked for ISO 4217's minor units, where its own differ",
            Shows.inCampaigns("psp"), List.of(PSP_AGREES, MONEY_SUM),
            new Change("io.chargeonce.psp.stripe.StripeMoney", "toSend", Bugs.IsoUnits.class),
            new Change("io.chargeonce.psp.stripe.StripeMoney", "isSaid", Bugs.IsoUnitsSaid.class)),
    SWEPT_UNDER_A_NEW_STEP("what Kafka lost is staged again under a new step",
            Shows.inSimulation(), List.of(HOP_SOUND, NEVER_EARLY),
            new Change("io.chargeonce.ledger.Operation", "stageAgain", Bugs.NewStep.class)),
    TIMEOUT_AS_FAILURE("an unknown outcome is taken for a failure, so that a new attempt is made, at another PSP too",
            Shows.everywhere("psp"), List.of(ONE_CAPTURE, PSP_AGREES),
            new Change("io.chargeonce.charge.call.PspExchange", "send", Bugs.TimeoutAsFailure.class)),
    TOO_LONG_AS_NOT_SENT("an answer of a PSP that is longer than we read is taken for a request that was never sent",
            Shows.inUniversesOf(Fault.PSP_CALL), List.of(ONE_CAPTURE, PSP_AGREES, MONEY_SUM),
            new Change("io.chargeonce.psp.http.WireFailure", "notSent", Bugs.TooLongIsNotSent.class)),
    TRIGGER_DROPPED("the trigger what_succeeded_stays_as_it_is, which keeps the PSP's reference of a success, is gone",
            Shows.inUniversesOf(Fault.THEFT), List.of(RIGHTS_HOLD)),
    UNIQUE_INDEX_DROPPED("the unique index one_open_attempt is gone",
            Shows.everywhere("psp"), List.of(ATTEMPTS_MONOTONE)),
    WEBHOOK_RECORDED_BEFORE_SENT("a webhook is recorded as delivered before it is sent",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE),
            new Change("io.chargeonce.notifications.webhook.Sender", "send", DeliveryBugs.DeliveredAnyhow.class)),
    WEBHOOK_UNDER_A_FRESH_ID("each try of a webhook has an id of its own, so that no receiver can drop a repeat",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE),
            new Change("io.chargeonce.notifications.webhook.HttpPost", "post", DeliveryBugs.FreshWebhookId.class)),
    WEBHOOK_OF_A_DECLINE("a webhook tells of a success where a payment was declined",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE)),
    RECEIPT_RECORDED_BEFORE_SENT("a receipt is recorded as sent before the mail server has it",
            Shows.inUniversesOf(Fault.MAIL_SERVER, Fault.KILL), List.of(RECEIPTS_AGREE),
            new Change("io.chargeonce.notifications.receipt.Mailer", "send", DeliveryBugs.DeliveredAnyhow.class)),
    RECEIPT_UNDER_A_FRESH_ID("each try of a receipt has a Message-ID of its own, so that a customer gets two",
            Shows.inUniversesOf(Fault.MAIL_SERVER, Fault.KILL), List.of(RECEIPTS_AGREE),
            new Change("io.chargeonce.notifications.receipt.Mail", "of", DeliveryBugs.FreshReceiptId.class)),
    WAITS_BY_THE_WALL_CLOCK("durations are measured by a clock that is set",
            Shows.inUniversesOf(Fault.CLOCK_STEP), List.of(ALIVE_AFTER_HEAL, NEVER_EARLY),
            new Change("io.chargeonce.runtime.SteadyClock", "instant", Bugs.WallClock.class));

    /** Advice on all methods of that name. A type that is not loaded at one level changes nothing there. */
    record Change(String type, String method, Class<?> advice) {

        String place() {
            return type.substring(type.lastIndexOf('.') + 1) + "." + method;
        }
    }

    private final String sentence;
    private final Shows shows;
    private final List<Invariant> expected;
    private final List<Change> changes;

    Plant(String sentence, Shows shows, List<Invariant> expected, Change... changes) {
        this.sentence = sentence;
        this.shows = shows;
        this.expected = expected;
        this.changes = List.of(changes);
    }

    /** @throws IllegalArgumentException naming those that there are, and where they show */
    public static Plant fromTag(String tag) {
        return Arrays.stream(values()).filter(plant -> plant.tag().equals(tag)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no bug '%s' to plant; there are %s".formatted(
                        tag, Arrays.stream(values()).map(plant -> plant.tag() + " (" + plant.shows.levels() + ")").toList())));
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String sentence() {
        return sentence;
    }

    public Shows shows() {
        return shows;
    }

    /** Any of these is broken by it. */
    public List<Invariant> expected() {
        return expected;
    }

    /** What the services are told beside the usual. */
    public Map<String, String> settings() {
        return shows.sweeping() ? Map.of() : Map.of("CHARGEONCE_SWEEP_AFTER", "1d");
    }

    /** What the database gets to hear of it. */
    public Optional<String> sql() {
        return switch (this) {
            case UNIQUE_INDEX_DROPPED -> Optional.of("DROP INDEX chargeonce.one_open_attempt");
            case DEBIT_IN_TWO_FILES -> Optional.of("DROP TRIGGER an_item_is_in_one_file ON chargeonce.bank_batch_item;"
                    + changed("seal_bank_batch(text, bigint, text, text, timestamptz, date, text, timestamptz, int)",
                            "AND batch_id IS NULL AND NOT fenced", """
                                    AND NOT fenced AND (batch_id IS NULL OR psp_key NOT IN (SELECT said.psp_key FROM bank_line AS said)
                                        AND until - interval '900 milliseconds' > (SELECT sealed_at FROM bank_batch AS its
                                                                                    WHERE its.batch_id = bank_batch_item.batch_id))
                                    """));
            case CANCEL_LEAVES_THE_RECORD -> Optional.of(changed("cancel_charge(text)",
                    "SET state = 'canceled', step = its.step + 1, swept = 0,", "SET"));
            case RETENTION_FROM_ACCEPTANCE -> Optional.of(changed("forget_settled_payments(int, timestamptz)",
                    "at_rest_since(operation_id) < until", "at_rest_since(operation_id) < 'infinity' AND accepted_at < until"));
            case FILE_RENDERED_TWICE -> Optional.of("""
                    DROP TRIGGER a_file_is_rendered_once ON chargeonce.bank_batch;
                    DROP TRIGGER what_is_sealed_never_changes ON chargeonce.bank_batch;
                    DROP TRIGGER bytes_are_only_erased ON chargeonce.bank_file_part;
                    """ + changed("resend_bank_batch(bigint, text, text)", "RETURN true;", """
                            DELETE FROM bank_file_part WHERE file = (SELECT 'out/' || message_id FROM bank_batch WHERE batch_id = id);
                            UPDATE bank_batch SET state = 'sealed', sha256 = NULL, size = NULL, sealed_at = sealed_at + interval '1 second'
                             WHERE batch_id = id;
                            RETURN true;"""));
            case TRIGGER_DROPPED -> Optional.of("DROP TRIGGER what_succeeded_stays_as_it_is ON chargeonce.operation_state");
            case WEBHOOK_OF_A_DECLINE -> Optional.of(changed("stage_webhooks(text[])", "'status', status",
                    "'status', CASE status WHEN 'declined' THEN 'succeeded' ELSE status END"));
            case ERASURE_FORGETS_A_COPY -> Optional.of("""
                    CREATE OR REPLACE FUNCTION chargeonce.erased_request(params json) RETURNS json LANGUAGE sql IMMUTABLE AS 'SELECT params'
                    """);
            default -> Optional.empty();
        };
    }

    /** A function of the schema with another text in place of one of its own. */
    private static String changed(String function, String own, String other) {
        return """
                DO $plant$
                DECLARE
                    sound text := pg_get_functiondef('chargeonce.%s'::regprocedure);
                    planted text := replace(sound, $own$%s$own$, $other$%s$other$);
                BEGIN
                    IF planted = sound THEN
                        RAISE EXCEPTION 'Bug! The planted one does not fit %s any more';
                    END IF;
                    EXECUTE planted;
                END
                $plant$
                """.formatted(function, own, other, function);
    }

    List<Change> changes() {
        return changes;
    }

    /** What it changes. */
    public Set<String> types() {
        return changes.stream().map(Change::type).collect(Collectors.toSet());
    }

    @Override
    public boolean changes(String type) {
        return changes.stream().anyMatch(change -> change.type.equals(type));
    }

    /** The places that it is written into. Without any, it is a statement of SQL. */
    public Set<String> places() {
        return changes.stream().map(Change::place).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether it was tried: what never ran cannot have been caught or missed. */
    public boolean isReached(Set<String> reached) {
        return changes.isEmpty() || reached.stream().anyMatch(places()::contains);
    }

    @Override
    public DynamicType.Builder<?> into(DynamicType.Builder<?> builder, String type) {
        DynamicType.Builder<?> planted = builder;
        for (Change change : changes) {
            planted = change.type.equals(type) ? Marks.put(change, planted)
                    .visit(Advice.to(change.advice).on(ElementMatchers.named(change.method))) : planted;
        }
        return planted;
    }
}
