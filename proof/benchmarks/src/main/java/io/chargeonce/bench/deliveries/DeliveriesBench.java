// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.deliveries;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.runtime.Meters;
import io.chargeonce.vault.Vault;
import io.chargeonce.notifications.webhook.WebhookService;
import io.chargeonce.notifications.webhook.WebhookSettings;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * One webhooks service at its usual settings. Outcomes come to it by Kafka at a steady rate; the delay is from the moment at which an
 * outcome was to be published until its webhook has come to a receiver, which answers at once. Then the same while one merchant in ten has
 * a receiver that never answers. For one thread.
 */
public final class DeliveriesBench {

    private static final int MERCHANTS = 100;
    private static final int HANGING = MERCHANTS / 10;
    /** Before it, everything is loaded and compiled. */
    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final Duration TO_ARRIVE = Duration.ofSeconds(30);
    private static final byte[] OUTCOME = "{\"type\":\"payment.outcome\"}".getBytes(StandardCharsets.US_ASCII);

    /** @param undelivered healthy receivers' webhooks that did not come */
    private record Turn(Latencies delays, double perSecond, long undelivered) {}

    private DeliveriesBench() {}

    /** @param rate deliveries per second to healthy receivers */
    public static Map<String, Object> run(int rate, int seconds, int rounds, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var quiet = new ArrayList<Double>();
        var beside = new ArrayList<Double>();
        var rates = new ArrayList<Double>();
        var medians = new ArrayList<Double>();
        long undelivered = 0;
        try (var ground = new Ground()) {
            // A young JVM would be measured otherwise.
            play(ground, rate, seconds, true);
            for (int i = 1; i <= rounds; i++) {
                Turn calm = play(ground, rate, seconds, false);
                Turn noisy = play(ground, rate, seconds, true);
                quiet.add(calm.delays.millisAt(99));
                beside.add(noisy.delays.millisAt(99));
                medians.add(noisy.delays.millisAt(50));
                rates.add(Math.min(calm.perSecond, noisy.perSecond));
                undelivered += calm.undelivered + noisy.undelivered;
                story.printf("round %d  quiet p99 %s ms; while one in ten hangs p50 %s ms, p99 %s ms, at %s/s%n", i,
                        RoundSpread.brief(quiet.getLast()), RoundSpread.brief(medians.getLast()), RoundSpread.brief(beside.getLast()),
                        RoundSpread.brief(rates.getLast()));
            }
        }
        double ratio = RoundSpread.of(beside).median() / RoundSpread.of(quiet).median();
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "deliveries");
        result.put("contestant", "chargeonce");
        result.put("wanted_per_s", rate);
        result.put("deliveries_per_s", Math.round(RoundSpread.of(rates).median()));
        result.put("merchants", MERCHANTS);
        result.put("hanging", HANGING);
        result.put("seconds", seconds);
        result.put("p99_ms_quiet", RoundSpread.of(quiet).median());
        result.put("p50_ms", RoundSpread.of(medians).median());
        result.put("p99_ms", RoundSpread.of(beside).median());
        result.put("ratio", Math.round(100 * ratio) / 100.0);
        result.put("undelivered", undelivered);
        result.put("rounds", List.of(quiet, beside));
        result.put("machine", machine);
        return result;
    }

    private static Turn play(Ground ground, int rate, int seconds, boolean someHang) throws Exception {
        // Of the hanging ones' merchants come as many events as of each other's, beside the rate.
        double all = someHang ? rate * (double) MERCHANTS / (MERCHANTS - HANGING) : rate;
        int first = someHang ? 0 : HANGING;
        int warmUp = (int) (all * WARM_UP.toSeconds());
        int measured = (int) (all * seconds);
        int highest = numberOf(warmUp + measured, first);
        try (var plot = ground.newPlot(); var receivers = new BenchReceivers(HANGING, highest)) {
            Hooks.prepare(plot, MERCHANTS, receivers.port(), highest);
            var settings = new WebhookSettings(plot.pipeline(Duration.ofSeconds(1)), Vault.IN_THE_CLEAR)
                    .withAllowedHosts(Set.of("localhost"));
            try (var meters = Meters.of("bench"); var service = WebhookService.start(settings, meters)) {
                long[] publishedAt = publish(plot, warmUp + measured, all, first);
                int healthy = healthy(warmUp + measured, first);
                long giveUp = System.nanoTime() + TO_ARRIVE.toNanos();
                while (receivers.came() < healthy && System.nanoTime() < giveUp) {
                    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                }
                return judge(receivers, publishedAt, warmUp, first);
            }
        }
    }

    /** Payments go round by merchants; those of merchants below the first are left out. */
    private static int numberOf(int published, int first) {
        int each = MERCHANTS - first;
        return published / each * MERCHANTS + first + published % each;
    }

    private static int healthy(int published, int first) {
        int count = 0;
        for (int i = 0; i < published; i++) {
            count += numberOf(i, first) % MERCHANTS >= HANGING ? 1 : 0;
        }
        return count;
    }

    /** Returns when each was to be published. */
    private static long[] publish(Ground.Plot plot, int count, double rate, int first) {
        var intended = new long[count];
        var client = Map.<String, Object>of("bootstrap.servers", plot.kafka(), "linger.ms", 2);
        try (var producer = new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
            long start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                intended[i] = start + (long) (i * 1e9 / rate);
                long early = intended[i] - System.nanoTime();
                if (early > 0) {
                    LockSupport.parkNanos(early);
                }
                byte[] key = Hooks.payment(numberOf(i, first)).getBytes(StandardCharsets.US_ASCII);
                producer.send(new ProducerRecord<>(plot.topics().outcomes(), key, OUTCOME));
            }
        }
        return intended;
    }

    private static Turn judge(BenchReceivers receivers, long[] publishedAt, int warmUp, int first) {
        var delays = new Latencies();
        long missing = 0;
        long last = publishedAt[warmUp];
        for (int i = 0; i < publishedAt.length; i++) {
            int payment = numberOf(i, first);
            if (payment % MERCHANTS >= HANGING) {
                long came = receivers.cameAt(payment);
                missing += came == 0 ? 1 : 0;
                if (i >= warmUp && came != 0) {
                    delays.add(came - publishedAt[i]);
                    last = Math.max(last, came);
                }
            }
        }
        double perSecond = delays.size() / ((last - publishedAt[warmUp]) / 1e9);
        return new Turn(delays, perSecond, missing);
    }

    /** Merchants with one endpoint each, and payments of theirs that have succeeded, as the service that charges leaves them. */
    private static final class Hooks {

        private static final String MERCHANTS = """
                INSERT INTO merchant (merchant_id) SELECT 'shop-' || n FROM generate_series(0, %d - 1) AS n
                """;
        private static final String ENDPOINTS = """
                INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at)
                SELECT 'whe_' || lpad(n::text, 24, '0'), 'shop-' || n, 'http://localhost:%d/' || n, '{*}', now() - interval '1 day'
                  FROM generate_series(0, %d - 1) AS n
                """;
        /** Unsealed, as in a trial. */
        private static final String SECRETS = """
                INSERT INTO webhook_secret (endpoint_id, sealed_secret)
                SELECT endpoint_id, '\\x00'::bytea || convert_to('whsec_' || encode(sha256(endpoint_id::bytea), 'base64'), 'UTF8')
                  FROM webhook_endpoint
                """;
        private static final String OPERATIONS = """
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       charge_within_s)
                SELECT id, id, 'charge', 'shop-' || n %% %d, 'order-' || n, 1299, 'EUR', 'pm_card_visa', 72000
                  FROM (SELECT n, 'pay_' || lpad(n::text, 26, '0') AS id FROM generate_series(0, %d - 1) AS n) AS sold
                """;
        private static final String STATES = """
                INSERT INTO operation_state (operation_id, state, step, sequence, psp, psp_reference, charge_before, settled_at)
                SELECT operation_id, 'succeeded', 2, 1, 'stripe', 'pi_' || operation_id, now() + interval '1 day', now() FROM operation
                """;

        private Hooks() {}

        /** Payment n is of merchant n modulo the number of merchants, whose endpoint has that number as its path. */
        static void prepare(Ground.Plot plot, int merchants, int port, int payments) throws SQLException {
            plot.execute("SET synchronous_commit = off; SET session_replication_role = replica", MERCHANTS.formatted(merchants),
                    ENDPOINTS.formatted(port, merchants), SECRETS, OPERATIONS.formatted(merchants, payments), STATES);
            plot.settle();
        }

        static String payment(int number) {
            return "pay_" + "%026d".formatted(number);
        }
    }
}
