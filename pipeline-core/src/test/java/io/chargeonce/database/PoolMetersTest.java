// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The alert "pool exhausted" reads these, and the autoscaler how long connections are held. */
class PoolMetersTest {

    private static double gauge(MeterRegistry meters, String name) {
        return meters.get(name).gauge().value();
    }

    @Test
    void threads_that_wait_for_a_connection_are_counted_and_so_is_how_long_one_is_held() {
        var meters = new SimpleMeterRegistry();
        var enough = new CountDownLatch(1);
        try (var database = Database.openForService(TestStack.newDatabase(), "postgres", "", 1).countedBy(meters);
             var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 3; i++) {
                threads.submit(() -> database.withConnection(connection -> {
                    await().forever().until(() -> enough.getCount() == 0);
                    return null;
                }));
            }
            await().until(() -> gauge(meters, "hikaricp.connections.pending") == 2 && gauge(meters, "hikaricp.connections.active") == 1);
            enough.countDown();
            await().until(() -> meters.get("hikaricp.connections.usage").timer().count() == 3);
            await().until(() -> gauge(meters, "hikaricp.connections.pending") == 0);
            assertThat(meters.get("hikaricp.connections.usage").timer().max(TimeUnit.NANOSECONDS)).isPositive();
        }
    }
}
