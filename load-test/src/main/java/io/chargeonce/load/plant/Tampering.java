package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.wire.PaymentRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What the planted bugs do. Called from methods they were written into, on any thread. */
public final class Tampering {

    private static final String CARD = "4242424242424242";
    private static KafkaProducer<byte[], byte[]> producer;

    private Tampering() {}

    public static Outcome failedIfUnknown(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown ? new Outcome.Failed(FailureCause.PSP_UNWELL, unknown.detail()) : outcome;
    }

    public static Outcome declinedIfServerError(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.PSP_ERROR
                ? new Outcome.Declined("processing_error", unknown.detail(), unknown.pspReference()) : outcome;
    }

    public static Outcome withCardNumber(Outcome outcome) {
        return outcome instanceof Outcome.Failed failed ? new Outcome.Failed(failed.cause(), failed.detail() + " for card " + CARD) : outcome;
    }

    public static Charge freshKey(Charge charge) {
        String letters = "abcdefghijklmnopqrstuvwxyz";
        var key = new StringBuilder();
        while (key.length() < charge.key().value().length()) {
            key.append(letters.charAt(ThreadLocalRandom.current().nextInt(letters.length())));
        }
        return new Charge(new PspKey(key.toString()), charge.payment(), charge.money(), charge.request(), charge.pspReference(),
                charge.keyIsKnown());
    }

    /** A moment later, as a service does that sends after its commit: whoever dies in between has sent nothing. */
    public static boolean sentPastTheOutbox(OutboxRow row) {
        boolean outcome = row.topic().endsWith(".outcomes");
        if (outcome) {
            sendSoon(row);
        }
        return outcome;
    }

    private static void sendSoon(OutboxRow row) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                TimeUnit.MILLISECONDS.sleep(100);
                var record = new ProducerRecord<>(row.topic(), row.key().getBytes(StandardCharsets.UTF_8), row.value().orElse(null));
                row.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
                producer().send(record);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static synchronized KafkaProducer<byte[], byte[]> producer() {
        if (producer == null) {
            producer = new KafkaProducer<>(Map.of("bootstrap.servers", System.getenv("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS")),
                    new ByteArraySerializer(), new ByteArraySerializer());
        }
        return producer;
    }

    public static Outcome failedIfDeclined(Outcome outcome) {
        return outcome instanceof Outcome.Declined declined ? new Outcome.Failed(FailureCause.PSP_UNWELL, declined.message()) : outcome;
    }

    public static Outcome failedIfRateLimited(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.detail().contains("429")
                ? new Outcome.Failed(FailureCause.RATE_LIMITED, unknown.detail()) : outcome;
    }

    /** The same for every copy of the attempt in this database, and nothing that anybody could derive. */
    public static PspKey serialKey(PspKey key) {
        return new PspKey(new StringBuilder(key.value()).reverse().toString());
    }

    public static NextStep retriedIfUnknown(RetrySchedule schedule, NextStep next) {
        return next instanceof NextStep.Resolve ask
                ? new NextStep.RetryLater(schedule.tiers().getFirst(), new Outcome.Failed(FailureCause.PSP_UNWELL, ask.unknown().detail())) : next;
    }

    private static final Map<String, Long> AMOUNTS = new ConcurrentHashMap<>();

    /** Every record is; the last one that speaks of a payment decides. */
    public static boolean believed(PaymentRecord record) {
        AMOUNTS.put(record.operationId(), record.amount());
        return true;
    }

    public static Operation.Accepted withAmountOfRecord(Operation.Accepted accepted) {
        Long amount = AMOUNTS.get(accepted.operationId());
        PaymentRequest request = accepted.request();
        return amount == null || amount == request.money().minorUnits() ? accepted
                : new Operation.Accepted(accepted.operationId(), accepted.payment(), accepted.kind(), accepted.ref(), accepted.merchant(),
                        accepted.idempotencyKey(), new PaymentRequest(new Money(amount, request.money().currency()), request.paymentMethod(),
                        request.customer(), request.reference(), request.description(), request.receiptEmail()), accepted.at(), accepted.traceparent());
    }

    public static void sentPastTheOutbox(List<OutboxRow> staged) {
        List.copyOf(staged).forEach(Tampering::sendSoon);
        staged.clear();
    }

    /** The same however often one request's key is asked for. */
    public static String requestKey(Object ask, String key) {
        return key + "-" + Integer.toHexString(System.identityHashCode(ask));
    }
}
