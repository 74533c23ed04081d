// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What happens to processes. */
final class ProcessBlows {

    private final Kernel kernel;
    private final Cluster cluster;

    ProcessBlows(Kernel kernel, Cluster cluster) {
        this.kernel = kernel;
        this.cluster = cluster;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.KILL, this::kill,
                Fault.FREEZE, () -> freeze(Duration.ofMillis(50), Duration.ofSeconds(8)),
                Fault.LONG_PAUSE, () -> freeze(Duration.ofSeconds(31), Duration.ofSeconds(70)));
    }

    private void freeze(Duration shortest, Duration longest) {
        List<Host> alive = cluster.alive();
        if (!alive.isEmpty()) {
            Host host = alive.get(kernel.random().nextInt(alive.size()));
            Duration time = kernel.between(shortest, longest);
            kernel.tell(time.toSeconds() > 30 ? "frozen for long" : "frozen", host.name + " frozen for " + time.toMillis() + " ms");
            host.freeze(kernel.now(), kernel.after(time));
        }
    }

    private void kill() {
        List<Host> alive = cluster.alive();
        if (!alive.isEmpty()) {
            Host host = alive.get(kernel.random().nextInt(alive.size()));
            kernel.tell("killed", host.name + " killed");
            kernel.kill(host);
        }
    }
}
