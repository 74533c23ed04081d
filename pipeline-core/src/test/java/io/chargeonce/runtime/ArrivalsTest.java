// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private final BlockingQueue<String> sentAway = new LinkedBlockingQueue<>();

    @Test
    void a_thread_that_waits_again_gets_a_place_behind_the_others() throws Exception {
        try (var arrivals = Arrivals.onPlatformThreads("test", Duration.ofHours(1), 2)) {
            var arrived = new CountDownLatch(2);
            var again = new CountDownLatch(1);
            arrivals.execute(() -> {
                arrived.countDown();
                wait(arrived);
                arrivals.awaitClient();
                again.countDown();
                waitForEver("first");
            });
            arrivals.execute(() -> {
                arrived.countDown();
                waitForEver("second");
            });
            wait(again);
            arrivals.execute(() -> waitForEver("third"));

            assertThat(sentAway.poll(1, TimeUnit.MINUTES)).isEqualTo("second");
            assertThat(sentAway).isEmpty();
        }
    }

    private static void wait(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Until it is interrupted. */
    private void waitForEver(String name) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            sentAway.add(name);
        }
    }
}
