// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.payment.method.PspToken;
import io.chargeonce.payment.method.PspTokens;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.http.AnswerTooLong;
import io.chargeonce.wire.PaymentRecord;
import java.net.InetAddress;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The code of planted bugs. Called from methods they were written into, on any thread. In a universe the time, threads and numbers
 * that they ask for are the universe's.
 */
public final class Tampering {

    private static final String CARD = "4242424242424242";

    private static final Pattern REFUSED = Pattern.compile("answered (401|403|404)");

    private Tampering() {}

    public static Outcome failedIfUnknown(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown ? new Outcome.Failed(FailureCause.PSP_UNWELL, unknown.detail()) : outcome;
    }

    public static Outcome failedIfNotFound(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.NOT_FOUND ? failedIfUnknown(outcome) : outcome;
    }

    public static Outcome failedIfSilent(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.NO_ANSWER_IN_TIME ? failedIfUnknown(outcome)
                : outcome;
    }

    public static Outcome declinedIfServerError(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.PSP_ERROR
                ? new Outcome.Declined("processing_error", unknown.detail(), unknown.pspReference()) : outcome;
    }

    public static Optional<FailureCause> notSentIfTooLong(Throwable failure, Optional<FailureCause> cause) {
        return failure instanceof AnswerTooLong ? Optional.of(FailureCause.CONNECTION_REFUSED) : cause;
    }

    /** As a PSP would quote it. A code of one word stays one. */
    public static String withCardNumber(String text) {
        return text.contains(" ") ? text + " for card " + CARD : text;
    }

    public static Dispute asToldLast(PlantedChange.Call call, Dispute next) {
        Dispute.Report report = call.argument(0);
        return report.stageRank() == 0 ? next
                : new Dispute(next.psp(), next.reference(), next.payment(), next.money(), report.reason(), report.stage(), next.stageRank(),
                        report.isFinal(), report.funds().orElse(next.funds()), next.fundsRank(), report.refundable(), report.answered(),
                        next.askedAt(), next.answeredAt(), report.dueBy(), ((Dispute) call.self()).revision() + 1);
    }

    public static Charge freshKey(Charge charge) {
        var key = new StringBuilder();
        UUID.randomUUID().toString().chars().filter(Character::isLetterOrDigit).limit(charge.key().value().length())
                .forEach(digit -> key.append((char) ('a' + Character.digit(digit, 16))));
        return new Charge(new PspKey(key.toString()), charge.payment(), charge.money(), charge.request(), charge.pspReference(),
                charge.mayBeSent(), charge.recalled(), charge.lease(), charge.firstSent());
    }

    public static Optional<PspToken> ofAnotherPsp(PlantedChange.Call call, Optional<PspToken> token) {
        var tokens = (PspTokens) call.self();
        return token.isPresent() || tokens.areDetached() ? token : tokens.at(call.argument(0).equals("adyen") ? "stripe" : "adyen");
    }

    public static Outcome failedIfDeclined(Outcome outcome) {
        return outcome instanceof Outcome.Declined declined ? new Outcome.Failed(FailureCause.PSP_UNWELL, declined.message()) : outcome;
    }

    public static Outcome failedIfRateLimited(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.detail().contains("429")
                ? new Outcome.Failed(FailureCause.RATE_LIMITED, unknown.detail()) : outcome;
    }

    public static Outcome failedIfRefused(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && REFUSED.matcher(unknown.detail()).find()
                ? new Outcome.Failed(FailureCause.REQUEST_REFUSED, unknown.detail()) : outcome;
    }

    /** One that is set, and in a universe the process's own. */
    public static Instant wallClock() {
        return Instant.now();
    }

    /** The same for every copy of the attempt in this database, and nothing that anybody could derive. */
    public static PspKey serialKey(PspKey key) {
        return new PspKey(new StringBuilder(key.value()).reverse().toString());
    }

    public static NextStep retriedIfUnknown(RetrySchedule schedule, NextStep next) {
        return next instanceof NextStep.Resolve ask
                ? new NextStep.RetryLater(schedule.tiers().getFirst(), new Outcome.Failed(FailureCause.PSP_UNWELL, ask.unknown().detail()))
                : next;
    }

    private static final Map<String, Long> AMOUNTS = new ConcurrentHashMap<>();

    /** Every record is; the last one that speaks of a payment decides. */
    public static boolean believed(Object self) {
        var record = (PaymentRecord) self;
        AMOUNTS.put(record.operationId(), record.amount());
        return true;
    }

    public static Operation.Accepted withAmountOfRecord(Operation.Accepted accepted) {
        Long amount = AMOUNTS.get(accepted.operationId());
        PaymentRequest request = accepted.request();
        return amount == null || amount == request.money().minorUnits() ? accepted
                : new Operation.Accepted(accepted.operationId(), accepted.payment(), accepted.kind(), accepted.ref(), accepted.merchant(),
                        accepted.idempotencyKey(),
                        new PaymentRequest(new Money(amount, request.money().currency()), request.paymentMethod(),
                                request.customer(), request.reference(), request.description(), request.receiptEmail()),
                        accepted.at(), accepted.traceparent());
    }

    private static final Map<String, InetAddress[]> ADDRESSES = new ConcurrentHashMap<>();
    private static final Map<Object, String> REQUESTS = Collections.synchronizedMap(new IdentityHashMap<>());

    /** The same however often one request's key is asked for. */
    public static String requestKey(Object request, String key) {
        return key + "-" + REQUESTS.computeIfAbsent(request, unseen -> UUID.randomUUID().toString().substring(0, 8));
    }

    private record Seen(PaymentRecord record, int stepOfRow) {}

    private static final ThreadLocal<Seen> SEEN = new ThreadLocal<>();

    public static boolean seen(PlantedChange.Call call, boolean same) {
        SEEN.set(new Seen((PaymentRecord) call.self(), call.<PaymentRecord>argument(0).step()));
        return same;
    }

    /** Of that record alone, which is about to be compared. */
    public static int stepOfRow(Object record, int step) {
        Seen seen = SEEN.get();
        return seen != null && seen.record == record ? seen.stepOfRow : step;
    }

    /** Marked like sealed bytes, for the reader. */
    public static byte[] inTheClear(byte[] bytes) {
        byte[] sealed = new byte[bytes.length + 1];
        System.arraycopy(bytes, 0, sealed, 1, bytes.length);
        return sealed;
    }

    public static Map<String, Object> resetToLatest(Map<String, Object> properties) {
        properties.put("auto.offset.reset", "latest");
        return properties;
    }

    public static String freshId(String prefix) {
        return prefix + UUID.randomUUID().toString().replace("-", "");
    }

    public static InetAddress[] remembered(String host, InetAddress[] addresses) {
        return ADDRESSES.computeIfAbsent(host, unseen -> addresses);
    }

    /** Another universe begins. */
    public static void forget() {
        AMOUNTS.clear();
        REQUESTS.clear();
        ADDRESSES.clear();
        RelayTampering.forget();
    }
}
