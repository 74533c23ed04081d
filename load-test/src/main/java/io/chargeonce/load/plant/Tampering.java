package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What the planted bugs do. Called from methods they were written into, on any thread. */
public final class Tampering {

    private static final String CARD = "4242424242424242";
    private static long lastId;
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
        if (!row.topic().endsWith(".outcomes")) {
            return false;
        }
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
        return true;
    }

    private static synchronized KafkaProducer<byte[], byte[]> producer() {
        if (producer == null) {
            producer = new KafkaProducer<>(Map.of("bootstrap.servers", System.getenv("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS")),
                    new ByteArraySerializer(), new ByteArraySerializer());
        }
        return producer;
    }

    public static synchronized List<?> afterTheLastId(List<?> rows) {
        List<?> later = rows.stream().filter(row -> (Long) call(row, "id") > lastId).toList();
        later.forEach(row -> lastId = Math.max(lastId, (Long) call(row, "id")));
        return later;
    }

    /** Returns an OutboxSender.Result that takes every row for published. */
    public static Object allAcknowledged(List<?> rows) {
        try {
            Class<?> type = Class.forName("io.chargeonce.database.OutboxSender$Result", true, Tampering.class.getClassLoader());
            var constructor = type.getDeclaredConstructor(List.class, Map.class);
            constructor.setAccessible(true);
            return constructor.newInstance(new ArrayList<>(rows.stream().map(row -> (Long) call(row, "id")).toList()), Map.of());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void commitHighest(Object offsets, Object mark) {
        try {
            Field committable = field(offsets, "committable");
            long next = (Long) field(mark, "offset").get(mark) + 1;
            Optional<?> now = (Optional<?>) committable.get(offsets);
            if (now.isEmpty() || ((OffsetAndMetadata) now.get()).offset() < next) {
                committable.set(offsets, Optional.of(new OffsetAndMetadata(next)));
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Object of, String name) throws NoSuchFieldException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static Object call(Object on, String name) {
        try {
            Method method = on.getClass().getDeclaredMethod(name);
            method.setAccessible(true);
            return method.invoke(on);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }
}
