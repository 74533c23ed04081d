// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ClockWeavingTest {

    /** Asks for the time in two ways. */
    static final class Asks implements LongSupplier {
        @Override
        public long getAsLong() {
            return Math.max(InstantSource.system().millis(), Instant.now().toEpochMilli());
        }
    }

    /** Measures, which is no question about the time of day. */
    static final class Measures implements LongSupplier {
        @Override
        public long getAsLong() {
            return System.nanoTime();
        }
    }

    private static byte[] bytes(Class<?> type) throws IOException {
        try (InputStream in = type.getResourceAsStream("ClockWeavingTest$" + type.getSimpleName() + ".class")) {
            return in.readAllBytes();
        }
    }

    @Test
    void a_class_that_asks_for_the_time_asks_the_shifted_clock() throws IOException {
        byte[] woven = ClockWeaving.weave(bytes(Asks.class));

        assertThat(new String(woven, StandardCharsets.ISO_8859_1)).contains("load/chaos/woven/ShiftedClock");
        assertThat(ShiftedClock.system().millis()).as("without a file it is right")
                .isCloseTo(System.currentTimeMillis(), Offset.offset(60_000L));
    }

    @Test
    void a_class_that_measures_stays_as_it_is() throws IOException {
        byte[] original = bytes(Measures.class);

        assertThat(ClockWeaving.weave(original)).isSameAs(original);
    }

    @Test
    void what_accepts_and_what_charges_ask_and_what_proves_does_not() {
        assertThat(ClockWeaving.askers()).contains("io.chargeonce.ingest.IngestService", "io.chargeonce.charge.ChargeEngine")
                .noneMatch(name -> name.startsWith("io.chargeonce.load") || name.startsWith("io.chargeonce.sandbox"));
    }
}
