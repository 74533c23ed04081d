// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Waits for conditions, for at most half a minute. */
final class Waiting {

    private Waiting() {}

    static void until(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5)).until(condition);
    }
}
