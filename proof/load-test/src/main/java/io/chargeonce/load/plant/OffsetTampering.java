// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** The code of bugs in a record loop. Called from methods they were written into, on any thread. */
public final class OffsetTampering {

    private static final Map<Object, Integer> ASSIGNMENTS = Collections.synchronizedMap(new WeakHashMap<>());

    private OffsetTampering() {}

    public static Object commitFetched(PlantedChange.Call call, Object mark) {
        commitHighest(call.self(), mark);
        return mark;
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
            throw new IllegalStateException("Bug! The planted one does not fit the code any more", e);
        }
    }

    private static Field field(Object of, String name) throws NoSuchFieldException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    public static void rebalanced(Object assignment) {
        ASSIGNMENTS.merge(assignment, 1, Integer::sum);
    }

    /** The first assignment is none. */
    public static void resumeAfterARebalance(Object assignment, Consumer<?, ?> consumer) {
        if (ASSIGNMENTS.getOrDefault(assignment, 0) > 1) {
            consumer.resume(consumer.paused());
        }
    }
}
