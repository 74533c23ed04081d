// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.load.proxy.Conditions;
import io.chargeonce.load.proxy.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Faults of the connections between the services and Kafka, Postgres and PSPs. Ends with the next healing. For one thread. */
final class NetworkFaults {

    /** Postgres's completion tag: what says that a COMMIT has happened. */
    private static final byte[] COMMITTED = "COMMIT\0".getBytes(StandardCharsets.US_ASCII);

    private final Map<String, TcpProxy> proxies;
    private final TcpProxy toPostgres;
    private final RandomGenerator random;

    NetworkFaults(CampaignStage stage, RandomGenerator random) {
        this.proxies = new TreeMap<>(Map.of("postgres", stage.toPostgres, "stripe", stage.toStripe, "adyen", stage.toAdyen));
        this.toPostgres = stage.toPostgres;
        this.random = random;
    }

    /** Returns the fault's name. */
    String inflict() {
        if (random.nextInt(5) == 0) {
            return loseAnswersToCommit();
        }
        String where = proxies.keySet().stream().skip(random.nextInt(proxies.size())).findFirst().orElseThrow();
        return hurt(proxies.get(where)) + " to " + where;
    }

    private String loseAnswersToCommit() {
        for (int i = 0; i < 4; i++) {
            toPostgres.loseNextAnswerWith(COMMITTED);
            Pauses.of(Duration.ofMillis(150));
        }
        return "answer to COMMIT lost";
    }

    private String hurt(TcpProxy proxy) {
        return switch (random.nextInt(7)) {
            case 0 -> set(proxy, Conditions.unreachable(), "down");
            case 1 -> set(proxy, Conditions.fair().latency(Duration.ofMillis(20 + random.nextInt(200))), "latency");
            case 2 -> set(proxy, Conditions.silent(), "stalled");
            case 3 -> set(proxy, Conditions.fair().slice(7).bytesPerSecond(40_000), "slow drip");
            case 4 -> set(proxy, Conditions.fair().limit(2_000 + random.nextInt(20_000)), "cut after some bytes");
            case 5 -> set(proxy, Conditions.fair().closeDelay(Duration.ofMillis(300)), "slow close");
            default -> {
                proxy.resetAll();
                yield "reset";
            }
        };
    }

    private static String set(TcpProxy proxy, Conditions conditions, String name) {
        proxy.set(conditions);
        return name;
    }
}
