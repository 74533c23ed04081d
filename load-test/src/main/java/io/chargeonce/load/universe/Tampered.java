package io.chargeonce.load.universe;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What planted flaws do. Called from the methods that they were written into. */
public final class Tampered {

    private static final Map<Host, Long> LAST_IDS = new HashMap<>();

    private Tampered() {}

    static void forget() {
        LAST_IDS.clear();
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
            throw new IllegalStateException("Bug! The flaw does not fit the code any more", e);
        }
    }

    /** Returns an OutboxSender.Result that takes every row for published. */
    public static Object allAcknowledged(List<?> rows, Throwable thrown) {
        if (thrown instanceof Killed killed) {
            throw killed;
        }
        try {
            Class<?> type = Class.forName("io.chargeonce.database.OutboxSender$Result");
            var constructor = type.getDeclaredConstructor(List.class, Map.class);
            constructor.setAccessible(true);
            return constructor.newInstance(new ArrayList<>(rows.stream().map(Tampered::id).toList()), Map.of());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Bug! The flaw does not fit the code any more", e);
        }
    }

    public static List<?> afterTheLastId(List<?> rows) {
        Host host = Kernel.it().host();
        List<?> later = rows.stream().filter(row -> id(row) > LAST_IDS.getOrDefault(host, 0L)).toList();
        later.forEach(row -> LAST_IDS.merge(host, id(row), Math::max));
        return later;
    }

    private static long id(Object row) {
        try {
            Method id = row.getClass().getDeclaredMethod("id");
            id.setAccessible(true);
            return (Long) id.invoke(row);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("Bug! The flaw does not fit the code any more", e);
        }
    }

    /** A moment later, as a service does that sends after its commit: whoever dies in between has sent nothing. */
    public static boolean sentPastTheOutbox(OutboxRow row) {
        if (!row.topic().endsWith(".outcomes")) {
            return false;
        }
        Kernel kernel = Kernel.it();
        kernel.spawn(kernel.host(), "past-the-outbox", () -> {
            kernel.sleep(Duration.ofMillis(100));
            var record = new ProducerRecord<>(row.topic(), row.key().getBytes(StandardCharsets.UTF_8), row.value().orElse(null));
            row.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
            var producer = Broker.it().producer();
            producer.send(record);
            producer.flush();
        });
        return true;
    }

    public static Outcome failedIfUnknown(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown ? new Outcome.Failed(FailureCause.PSP_UNWELL, unknown.detail()) : outcome;
    }

    public static Outcome failedIfNotFound(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.NOT_FOUND ? failedIfUnknown(outcome) : outcome;
    }

    private static Field field(Object of, String name) throws NoSuchFieldException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
