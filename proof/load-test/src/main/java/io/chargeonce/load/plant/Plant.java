// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import static io.chargeonce.checker.finding.Invariant.ACCEPTED_DURABLE;
import static io.chargeonce.checker.finding.Invariant.ALIVE_AFTER_HEAL;
import static io.chargeonce.checker.finding.Invariant.ATTEMPTS_MONOTONE;
import static io.chargeonce.checker.finding.Invariant.AUDIT_SEALED;
import static io.chargeonce.checker.finding.Invariant.BOUNDED;
import static io.chargeonce.checker.finding.Invariant.CONSERVATION;
import static io.chargeonce.checker.finding.Invariant.DISPUTES_AGREE;
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
import static io.chargeonce.checker.finding.Invariant.OWN_TOKEN;
import static io.chargeonce.checker.finding.Invariant.PSP_AGREES;
import static io.chargeonce.checker.finding.Invariant.RECEIPTS_AGREE;
import static io.chargeonce.checker.finding.Invariant.REFUNDS;
import static io.chargeonce.checker.finding.Invariant.RIGHTS_HOLD;
import static io.chargeonce.checker.finding.Invariant.WEBHOOKS_AGREE;
import static io.chargeonce.load.plant.PlantedChange.afterwards;
import static io.chargeonce.load.plant.PlantedChange.argument;
import static io.chargeonce.load.plant.PlantedChange.leftOut;
import static io.chargeonce.load.plant.PlantedChange.leftOutIf;
import static io.chargeonce.load.plant.PlantedChange.result;
import static io.chargeonce.load.plant.PlantedChange.written;
import static io.chargeonce.load.plant.Seam.at;

import io.chargeonce.audit.AuditSeams;
import io.chargeonce.charge.ChargeSeams;
import io.chargeonce.charge.bank.BankSeams;
import io.chargeonce.charge.call.PspExchange;
import io.chargeonce.charge.due.SweepSeams;
import io.chargeonce.charge.outcome.ByHand;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.charge.outcome.LateSeams;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.database.RelaySeams;
import io.chargeonce.dlq.run.RunSeams;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.ingest.accept.RequestFingerprint;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.merchants.MerchantSeams;
import io.chargeonce.ingest.merchants.Merchants;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.loop.LoopSeams;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationRow;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.ledger.RetryBudget;
import io.chargeonce.load.game.Fault;
import io.chargeonce.notifications.receipt.ReceiptSeams;
import io.chargeonce.notifications.webhook.WebhookSeams;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.Decision;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.FailureClass;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.OneSend;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.method.PspToken;
import io.chargeonce.payment.method.PspTokens;
import io.chargeonce.psp.PspCall;
import io.chargeonce.psp.PspSeams;
import io.chargeonce.psp.adyen.AdyenSeams;
import io.chargeonce.psp.http.WireFailure;
import io.chargeonce.psp.stripe.StripeSeams;
import io.chargeonce.runtime.SecretSeams;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentRecord;
import java.time.Duration;
import java.time.Instant;
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
            PlantedChange.<Boolean>result(at(PaymentRecord::saysTheSameAs), (call, same) -> Tampering.believed(call.self())),
            result(at(OperationRow::accepted), Tampering::withAmountOfRecord)),
    ANOTHER_PSPS_TOKEN("a PSP that has no token of a stored payment method gets the payment with another PSP's",
            Shows.inSimulation(), List.of(OWN_TOKEN),
            PlantedChange.<Optional<PspToken>>result(at(PspTokens::at), Tampering::ofAnotherPsp)),
    ANY_BODY_UNDER_A_KEY("a repeated key is answered although the body says something else",
            Shows.everywhere("psp"), List.of(IDEMPOTENT_ACCEPT),
            PlantedChange.<Boolean>result(at(RequestFingerprint::isTheSameAs), said -> true)),
    BACKLOG_TAKEN_FOR_LOSS("what waits in a backlog is staged again as if Kafka had lost it",
            Shows.inUniversesOf(Fault.OUTAGE, Fault.FREEZE, Fault.HANG), List.of(BOUNDED, HOP_SOUND, ALIVE_AFTER_HEAL),
            PlantedChange.<Boolean>result(SweepSeams.SUSPECTS_PASSED, said -> true)),
    BLIND_PURGE("a purge takes letters out of the queue without deciding about their payments",
            Shows.everywhere("psp"), List.of(DLQ_ALGEBRA), leftOut(RunSeams.SAVE_PURGED)),
    CANCEL_LEAVES_THE_RECORD("a cancel does not supersede the record that was staged before it, and the payment is charged",
            Shows.inUniversesOf(Fault.CANCEL), List.of(ATTEMPTS_MONOTONE)),
    CARD_NUMBER_IN_A_MESSAGE("a card number gets into the text of a failure",
            Shows.inCampaigns("psp"), List.of(NO_CARD_DATA),
            result(at(CardNumbers::hiddenIn), Tampering::withCardNumber)),
    DEBIT_IN_TWO_FILES("a debit that the bank has not answered yet goes into the next file as well",
            Shows.everywhere("bank").in(Fault.BANK, Fault.KILL), List.of(ONE_FILE, ONE_CAPTURE)),
    DECLINE_AS_FAILURE("a decline is taken for a failure that may be tried again",
            Shows.everywhere("psp"), List.of(PSP_AGREES),
            result(at(PspExchange::send), Tampering::failedIfDeclined)),
    DELETED_UNACKNOWLEDGED("the relay deletes rows although the broker refused them",
            Shows.everywhere("kafka-refuses").withoutSweeper(), List.of(ALIVE_AFTER_HEAL, OUTCOME_AGREES, DLQ_ALGEBRA),
            PlantedChange.<Optional<Throwable>>result(RelaySeams.FAILURE, failure -> Optional.empty())),
    DISPUTE_DROPPED("Adyen's messages about disputes are passed over",
            Shows.inUniversesOf(Fault.DISPUTE), List.of(DISPUTES_AGREE),
            PlantedChange.<Boolean>result(AdyenSeams.IS_A_DISPUTE, said -> false)),
    DISPUTE_REOPENED("a late message opens a dispute again that has gone further",
            Shows.inUniversesOf(Fault.DISPUTE, Fault.WEBHOOK), List.of(DISPUTES_AGREE),
            PlantedChange.<Dispute>result(at(Dispute::after), Tampering::asToldLast)),
    DUE_BY_THE_CONSUMERS_CLOCK("when a retry is due is read from the record and the consumer's clock, and not from the database",
            Shows.inSimulation(), List.of(NEVER_EARLY), PlantedChange.<Instant>result(at(OperationRow::notBefore), due -> Instant.EPOCH)),
    FAILED_REFUND_DROPPED("a refund that fails after it was paid stays paid",
            Shows.inUniversesOf(Fault.FAILED_REFUND), List.of(PSP_AGREES), leftOut(LateSeams.FAILED_AFTER_SUCCESS)),
    FIFTY_MS_EARLY("retries are due 50 ms before their time",
            Shows.inSimulation(), List.of(NEVER_EARLY),
            PlantedChange.<Duration>argument(at((Seam.Of1<Duration>) DueTimes::afterAppend), 0, delay -> delay.minusMillis(50)),
            PlantedChange.<Instant>result(at(OperationRow::notBefore), due -> due.minusMillis(50))),
    FILE_RENDERED_TWICE("a bank's file that a person has sent once more is rendered once more, so that other bytes go under its message id",
            Shows.inUniversesOf(Fault.BANK), List.of(ONE_FILE)),
    FRESH_PSP_KEY("each send has a key of its own in place of the derived one",
            Shows.everywhere("kill,network").in(Fault.PSP_CALL, Fault.KILL, Fault.WEBHOOK), List.of(ONE_CAPTURE, PSP_AGREES),
            argument(StripeSeams.CREATE, 0, Tampering::freshKey),
            argument(AdyenSeams.SEND, 0, Tampering::freshKey)),
    HIGHEST_OFFSET("the highest finished offset is committed in place of the lowest unfinished one",
            Shows.inSimulation().withoutSweeper(), List.of(HOP_SOUND),
            afterwards(LoopSeams.COMPLETE_OFFSET, call -> OffsetTampering.commitHighest(call.self(), call.argument(0)))),
    LATE_TRUTH_SWALLOWED("money that moved after a purge is not recorded",
            Shows.inUniversesOf(Fault.PSP_CALL, Fault.HARSH_OPERATOR, Fault.KILL), List.of(CONSERVATION, PSP_AGREES, MONEY_SUM),
            leftOutIf(LateSeams.SUCCEEDED, call -> ((LateAnswers) call.self()).operation().state() == OperationState.PURGED),
            written(at(Operation::purge), FieldBugs.NothingAskedAfterAPurge.class)),
    MERGE_STRAIGHT_TO_KAFKA("a merge sends its records to Kafka itself, beside the transaction that decided them",
            Shows.inCampaigns("kill,psp").withoutSweeper(), List.of(ALIVE_AFTER_HEAL, HOP_SOUND),
            written(RunSeams.MERGE, FieldBugs.MergePastTheOutbox.class)),
    NEW_ATTEMPT_WHILE_UNKNOWN("a new attempt is scheduled while the last one has not definitely failed",
            Shows.inSimulation(), List.of(ALIVE_AFTER_HEAL, CONSERVATION),
            PlantedChange.<NextStep>result(at(Decision::after), (call, next) -> Tampering.retriedIfUnknown(call.argument(2), next))),
    NO_SLOW_START("all that waits for a PSP goes at once when it is well again",
            Shows.inUniversesOf(Fault.PSP_UNWELL), List.of(BOUNDED), leftOut(PspSeams.RECOVERED)),
    NO_PROBE("a PSP that was unwell gets no payment that could show that it is well again",
            Shows.inUniversesOf(Fault.PSP_UNWELL, Fault.OUTAGE, Fault.WRONG_ACCOUNT), List.of(ALIVE_AFTER_HEAL),
            PlantedChange.<Boolean>result(PspSeams.TAKE_PROBE, said -> false)),
    NOT_FOUND_AS_FAILURE("a PSP that does not know an attempt yet is taken to say that it failed",
            Shows.inUniversesOf(Fault.PSP_CALL, Fault.KILL, Fault.FREEZE, Fault.WEBHOOK, Fault.STALE_SEARCH),
            List.of(ONE_CAPTURE, REFUNDS, PSP_AGREES),
            result(at(PspExchange::ask), Tampering::failedIfNotFound)),
    OFFSET_BEFORE_DATABASE("an offset is committed before its record is in the database",
            Shows.inSimulation().withoutSweeper(), List.of(HOP_SOUND),
            PlantedChange.<Object>result(LoopSeams.ADD_OFFSET, OffsetTampering::commitFetched)),
    ONE_LINE_FOR_ALL_MERCHANTS("records wait in one line, so that one merchant's hanging calls hold up all others",
            Shows.inUniversesOf(Fault.HUNG_MERCHANT), List.of(OTHERS_GO_ON),
            PlantedChange.<String>result(LoopSeams.SHARE_OF, share -> "")),
    OLDER_LIFE_TAKEN("what Stripe has of a payment that is forgotten is taken for the attempt of a new one under its key",
            Shows.inUniversesOf(Fault.OLD_KEY, Fault.PSP_CALL, Fault.KILL), List.of(PSP_AGREES, MONEY_SUM),
            PlantedChange.<Boolean>result(StripeSeams.IS_OLDER, said -> false)),
    OUTCOME_PAST_THE_OUTBOX("outcome events are sent straight to Kafka, beside the transaction that decided them",
            Shows.inSimulation(), List.of(OUTCOME_AGREES),
            leftOutIf(at(UnitOfWork::stage), call -> RelayTampering.sentPastTheOutbox(call.<OutboxRow>argument(0)))),
    PAUSE_FORGOTTEN("a full partition is paused no more once there was a rebalance",
            Shows.inSimulation(), List.of(BOUNDED), afterwards(LoopSeams.ADD_PARTITIONS, call -> OffsetTampering.rebalanced(call.self())),
            written(LoopSeams.PAUSE_AND_RESUME, FieldBugs.NotPaused.class)),
    PRODUCER_KEPT("the relay keeps a producer that has failed for good",
            Shows.inUniversesOf(Fault.PRODUCER_FATAL), List.of(ALIVE_AFTER_HEAL), leftOut(RelaySeams.REPLACE_PRODUCER)),
    RATE_LIMIT_AS_FAILURE("a 429 on a second send is taken for a definite failure, though the first send may have charged",
            Shows.everywhere("psp").in(Fault.PSP_CALL, Fault.PSP_THROTTLES, Fault.WEBHOOK), List.of(ONE_CAPTURE, PSP_AGREES),
            argument(at(OneSend::judge), 1, otherSends -> 0),
            result(StripeSeams.WHILE_ASKING, Tampering::failedIfRateLimited)),
    REFUND_BY_REQUEST("a refund goes by its request in place of its payment and reference",
            Shows.everywhere("psp"), List.of(REFUNDS),
            PlantedChange.<String>result(at(Refunds.RefundRequest::entityKey), (call, key) -> Tampering.requestKey(call.self(), key))),
    PSP_QUOTE_KEPT("a card number that a PSP quotes is kept as it is",
            Shows.inUniversesOf(Fault.CARD_DATA, Fault.PSP_CALL), List.of(NO_CARD_DATA),
            PlantedChange.<String>result(at(CardNumbers::hiddenIn), (call, hidden) -> call.argument(0))),
    DECLINE_FAILOVER_UNCOUNTED("a decline that goes to another PSP does not count as a presentation of the card",
            Shows.inUniversesOf(Fault.SOFT_DECLINE), List.of(PSP_AGREES), leftOut(at(Operation::countPresentation))),
    STATUS_QUERY_AFTER_A_CANCEL("a status query about a payment that is to be canceled executes it",
            Shows.inUniversesOf(Fault.CANCEL, Fault.PSP_CALL), List.of(HOLDS_HOLD),
            PlantedChange.<Boolean>result(at(PspCall::statusQueryMayExecute), said -> false)),
    POISON_IN_THE_CLEAR("poison is kept as it was found, unsealed",
            Shows.inUniversesOf(Fault.CARD_DATA), List.of(NO_CARD_DATA),
            PlantedChange.<byte[]>result(at(Vault::seal), (call, sealed) -> Tampering.inTheClear(call.argument(1)))),
    ERASURE_LEAVES_A_TEXT("an erasure leaves what a payment is for",
            Shows.inUniversesOf(Fault.ERASURE, Fault.KILL), List.of(NO_CARD_DATA)),
    BATCH_LET_IN_ONCE("an open batch goes on under a token that was revoked meanwhile",
            Shows.inUniversesOf(Fault.TOKEN), List.of(RIGHTS_HOLD),
            PlantedChange.<Object>result(at(Merchants::again), (call, checked) -> new Checked.Right<>(call.argument(0)))),
    EXPIRED_TOKEN_REMEMBERED("a token is let in for seconds after it has expired, because ingest remembers it",
            Shows.inUniversesOf(Fault.TOKEN), List.of(RIGHTS_HOLD),
            PlantedChange.<Instant>result(MerchantSeams.UNTIL, (call, until) -> call.<Instant>argument(0).plusSeconds(5))),
    REFUSED_QUESTION_AS_FAILURE("a PSP that refuses a question (401, 403, 404) is taken to say that the attempt failed",
            Shows.inUniversesOf(Fault.PSP_CALL, Fault.WRONG_ACCOUNT, Fault.KILL), List.of(ONE_CAPTURE, REFUNDS, PSP_AGREES, MONEY_SUM),
            result(StripeSeams.WHILE_ASKING, Tampering::failedIfRefused),
            result(AdyenSeams.WHILE_ASKING, Tampering::failedIfRefused),
            PlantedChange.<Boolean>result(at(FailureClass::describesOneSend),
                    (call, ofOneSend) -> ofOneSend && call.self() != FailureClass.POISON)),
    RELAY_AFTER_THE_LAST_ID("the relay reads only ids above the last one that it saw",
            Shows.inSimulation(), List.of(ALIVE_AFTER_HEAL),
            RelaySeams.READ_LATER),
    RESET_TO_LATEST("a partition without a committed offset is read from its end",
            Shows.inSimulation().withoutSweeper(), List.of(ALIVE_AFTER_HEAL, HOP_SOUND),
            result(at(ConsumerSettings::properties), Tampering::resetToLatest)),
    PRESENTED_AFTER_OPTING_OUT("cards are presented again although their merchant has opted out meanwhile",
            Shows.inUniversesOf(Fault.SOFT_DECLINE, Fault.OPT_OUT), List.of(HOLDS_HOLD),
            PlantedChange.<Boolean>result(at(RetryBudget::isOptedIn), (call, in) -> true)),
    RETENTION_FROM_ACCEPTANCE("a payment is forgotten by the age of its acceptance, however late it was charged",
            Shows.inUniversesOf(Fault.OLD_LETTER), List.of(ONE_CAPTURE, ACCEPTED_DURABLE)),
    RESTORED_AND_NOT_ASKED("after a restore that lost claims, attempts are made without a query of the PSPs",
            Shows.inUniversesOf(Fault.LOST_CLAIM, Fault.KILL), List.of(ONE_CAPTURE, PSP_AGREES, MONEY_SUM),
            PlantedChange.<Boolean>result(ChargeSeams.CONCERNS, (call, concerns) -> false)),
    SEALED_TOO_EARLY("the audit log is sealed up to the last id that was given out, beside transactions that still append",
            Shows.inUniversesOf(Fault.CONNECTION), List.of(AUDIT_SEALED),
            PlantedChange.<Set<String>>result(AuditSeams.WRITERS, writers -> Set.of())),
    SECRET_OF_THE_START("a secret is read when a process starts and never again, so that a changed key is not noticed",
            Shows.inUniversesOf(Fault.PSP_KEY), List.of(OTHERS_GO_ON),
            PlantedChange.<Object>result(SecretSeams.READ_AGAIN, (call, read) -> call.argument(1))),
    SERIAL_IN_PSP_KEY("a number that the database gave out is in the PSP key, so that restored rows would derive others",
            Shows.everywhere("psp"), List.of(ATTEMPTS_MONOTONE),
            result(at(PspKey::derive), Tampering::serialKey)),
    SERVER_ERROR_AS_DECLINE("a PSP's 5xx is taken for a decline",
            Shows.everywhere("psp"), List.of(PSP_AGREES),
            result(at(PspExchange::send), Tampering::declinedIfServerError)),
    SETTLED_WHILE_THE_PSP_MAY_TELL("a person's reference is believed while the PSP only fails for the moment",
            Shows.inUniversesOf(Fault.HASTY_FINDING, Fault.PSP_CALL), List.of(PSP_AGREES),
            argument(at(ByHand::after), 4, mayTell -> false)),
    SILENCE_AS_FAILURE("a bank that has not answered in time is taken to say that it does not collect",
            Shows.inUniversesOf(Fault.BANK, Fault.KILL), List.of(ONE_CAPTURE, PSP_AGREES),
            result(BankSeams.FIND, Tampering::failedIfSilent)),
    STEP_NOT_COMPARED("a record is worked on even if it was staged for another step",
            Shows.inSimulation(), List.of(HOP_SOUND), PlantedChange.<Boolean>result(at(PaymentRecord::saysTheSameAs), Tampering::seen),
            PlantedChange.<Integer>result(at(PaymentRecord::step), (call, step) -> Tampering.stepOfRow(call.self(), step))),
    STOPPED_IS_RECHARGEABLE("what a person stopped on purpose is merged like any other dead letter",
            Shows.inUniversesOf(Fault.STOP, Fault.PSP_UNWELL, Fault.OUTAGE), List.of(DLQ_ALGEBRA),
            PlantedChange.<String>argument(at(MoneyStatus::fromTag), 0,
                    standing -> standing.equals("stopped") ? "rechargeable" : standing)),
    STRIPE_IN_ISO_UNITS("Stripe is asked for ISO 4217's minor units, where its own differ",
            Shows.inCampaigns("psp"), List.of(PSP_AGREES, MONEY_SUM),
            PlantedChange.<Long>result(StripeSeams.TO_SEND, (call, amount) -> call.<Money>argument(0).minorUnits()),
            PlantedChange.<Boolean>result(StripeSeams.IS_SAID,
                    (call, same) -> Long.valueOf(call.<Money>argument(0).minorUnits()).equals(call.argument(1)))),
    SWEPT_UNDER_A_NEW_STEP("what Kafka lost is staged again under a new step",
            Shows.inSimulation(), List.of(HOP_SOUND, NEVER_EARLY),
            written(at(Operation::stageAgain), FieldBugs.NewStep.class)),
    TIMEOUT_AS_FAILURE("an unknown outcome is taken for a failure, so that a new attempt is made, at another PSP too",
            Shows.everywhere("psp"), List.of(ONE_CAPTURE, PSP_AGREES),
            result(at(PspExchange::send), Tampering::failedIfUnknown)),
    TOO_LONG_AS_NOT_SENT("an answer of a PSP that is longer than we read is taken for a request that was never sent",
            Shows.inUniversesOf(Fault.PSP_CALL), List.of(ONE_CAPTURE, PSP_AGREES, MONEY_SUM),
            PlantedChange.<Optional<FailureCause>>result(at(WireFailure::notSent),
                    (call, cause) -> Tampering.notSentIfTooLong(call.argument(0), cause))),
    TRIGGER_DROPPED("the trigger what_succeeded_stays_as_it_is, which keeps the PSP's reference of a success, is gone",
            Shows.inUniversesOf(Fault.THEFT), List.of(RIGHTS_HOLD)),
    UNIQUE_INDEX_DROPPED("the unique index one_open_attempt is gone",
            Shows.everywhere("psp"), List.of(ATTEMPTS_MONOTONE)),
    WEBHOOK_RECORDED_BEFORE_SENT("a webhook is recorded as delivered before it is sent",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE), WebhookSeams.DELIVERED_ANYHOW),
    WEBHOOK_UNDER_A_FRESH_ID("each try of a webhook has an id of its own, so that no receiver can drop a repeat",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE), WebhookSeams.FRESH_ID),
    WEBHOOK_OF_A_DECLINE("a webhook tells of a success where a payment was declined",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE)),
    WEBHOOK_DELIVERED_FOR_GOOD("a webhook that was delivered is not sent again, though its merchant has lost it and asks for it",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE)),
    WEBHOOK_ENDED_BY_A_CERTIFICATE("a receiver's wrong certificate ends a webhook at once, as if its receiver never wanted it",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE), WebhookSeams.WRONG_CERTIFICATE_ENDS_IT),
    WEBHOOK_TO_THE_FIRST_ADDRESS("a receiver's name is looked up once and for ever, so that one that moves gets nothing any more",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE), WebhookSeams.FIRST_ADDRESS),
    WEBHOOK_LED_INSIDE("a webhook goes wherever its receiver's name leads, into our own network too",
            Shows.inUniversesOf(Fault.RECEIVER, Fault.KILL), List.of(WEBHOOKS_AGREE), WebhookSeams.ALL_ADDRESSES),
    RECEIPT_BROKEN_OFF_AS_SENT("a receipt whose connection breaks in the middle of the message is taken for sent",
            Shows.inUniversesOf(Fault.MAIL_SERVER, Fault.KILL), List.of(RECEIPTS_AGREE), ReceiptSeams.SENT_IF_BROKEN_OFF),
    RECEIPT_FROM_A_FRESH_SENDER("each try of a receipt has an envelope sender of its own, so that a mailbox that greylists never takes it",
            Shows.inUniversesOf(Fault.MAIL_SERVER, Fault.KILL), List.of(RECEIPTS_AGREE), ReceiptSeams.FRESH_SENDER),
    RECEIPT_NOT_SENT_AGAIN("one receipt that a person sends again, because the mail server has lost it, is not mailed again",
            Shows.inUniversesOf(Fault.MAIL_SERVER, Fault.KILL), List.of(RECEIPTS_AGREE), ReceiptSeams.NOT_AGAIN),
    RECEIPT_RECORDED_BEFORE_SENT("a receipt is recorded as sent before the mail server has it",
            Shows.inUniversesOf(Fault.MAIL_SERVER, Fault.KILL), List.of(RECEIPTS_AGREE), ReceiptSeams.SENT_ANYHOW),
    RECEIPT_UNDER_A_FRESH_ID("each try of a receipt has a Message-ID of its own, so that a customer gets two",
            Shows.inUniversesOf(Fault.MAIL_SERVER, Fault.KILL), List.of(RECEIPTS_AGREE), ReceiptSeams.FRESH_ID),
    WAITS_BY_THE_WALL_CLOCK("durations are measured by a clock that is set",
            Shows.inUniversesOf(Fault.CLOCK_STEP), List.of(ALIVE_AFTER_HEAL, NEVER_EARLY),
            PlantedChange.<Instant>result(at(SteadyClock::instant), time -> Tampering.wallClock()));

    private final String sentence;
    private final Shows shows;
    private final List<Invariant> expected;
    private final List<PlantedChange> changes;

    Plant(String sentence, Shows shows, List<Invariant> expected, PlantedChange... changes) {
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
        return SchemaBugs.sql(this);
    }

    List<PlantedChange> changes() {
        return changes;
    }

    /** What it changes. */
    public Set<String> types() {
        return changes.stream().map(change -> change.place().type()).collect(Collectors.toSet());
    }

    @Override
    public boolean changes(String type) {
        return changes.stream().anyMatch(change -> change.place().type().equals(type));
    }

    /** The places that it is written into. Without any, it is a statement of SQL. */
    public Set<String> places() {
        return changes.stream().map(change -> change.place().toString()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether it was tried: what never ran cannot have been caught or missed. */
    public boolean isReached(Set<String> reached) {
        return changes.isEmpty() || reached.stream().anyMatch(places()::contains);
    }

    @Override
    public DynamicType.Builder<?> into(DynamicType.Builder<?> builder, String type) {
        DynamicType.Builder<?> planted = builder;
        for (int i = 0; i < changes.size(); i++) {
            PlantedChange change = changes.get(i);
            planted = change.place().type().equals(type) ? Marks.put(change.place(), planted)
                    .visit(Advice.withCustomMapping().bind(PlantedChange.Text.class, name() + " " + i).to(change.advice())
                            .on(ElementMatchers.named(change.place().method())))
                    : planted;
        }
        return planted;
    }

    /** Called from where it was written in, on any thread. */
    public static Object run(String change, Object self, Object[] arguments, Object result) {
        String[] which = change.split(" ");
        return valueOf(which[0]).changes.get(Integer.parseInt(which[1])).code().apply(new PlantedChange.Call(self, arguments, result));
    }
}
