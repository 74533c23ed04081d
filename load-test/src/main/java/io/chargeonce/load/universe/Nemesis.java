package io.chargeonce.load.universe;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Draws what goes wrong, from the seed alone: which faults a universe knows at all, when they strike and how long. */
final class Nemesis {

    private static final List<String> WORK = List.of("payments.requests", "payments.retry-1", "payments.retry-2", "payments.retry-3");

    /** How much likelier a process dies there than elsewhere: what it had skipped would be lost. */
    private static final int AFTER_AN_OFFSET_COMMIT = 10;
    /** And while one of its threads hangs, with other records finished behind it. */
    private static final int AFTER_A_THREAD_HUNG = 100;
    private static final int MOST_COPIES = 8;
    private static final Duration SOON = Duration.ofMillis(100);
    /** The newest are about payments that are still under way. */
    private static final int WORTH_COPYING = 8;

    private final Kernel kernel;
    private final Cluster cluster;
    private final Broker broker;
    private final SimulatedPostgres postgres;
    private final List<Psp> psps;
    private final double crash;
    private final boolean outages;
    private final boolean freezes;
    private final boolean losses;
    private final boolean rebalances;
    private final boolean copies;
    private Instant healedAt = Instant.MAX;

    Nemesis(Kernel kernel, Cluster cluster, Broker broker, SimulatedPostgres postgres, List<Psp> psps,
            boolean mayLose) {
        this.kernel = kernel;
        this.cluster = cluster;
        this.broker = broker;
        this.postgres = postgres;
        this.psps = psps;
        this.crash = kernel.chance(0.3) ? 0 : kernel.random().nextDouble(0.006);
        this.outages = kernel.chance(0.4);
        this.freezes = kernel.chance(0.5);
        this.losses = kernel.chance(0.3) && mayLose;
        this.rebalances = kernel.chance(0.6);
        this.copies = kernel.chance(0.5);
    }

    void begin() {
        kernel.crashes((host, point) -> {
            boolean dies = host != kernel.world() && kernel.chance(crash * times(point));
            if (dies) {
                kernel.tell("killed " + point, host.name + " killed " + point);
            }
            return dies;
        });
        postgres.faults(new SimulatedPostgres.Faults(upTo(0.06), upTo(0.06), upTo(0.5), upTo(0.03), upTo(0.3)));
        broker.faults(new Broker.Faults(upTo(0.05), upTo(0.1), upTo(0.03)));
        psps.forEach(psp -> psp.faults(new Psp.Faults(upTo(0.15), upTo(0.1), upTo(0.1), upTo(0.15), upTo(0.1), upTo(0.1), upTo(0.15), upTo(0.3))));
    }

    private static int times(String point) {
        return switch (point) {
            case ModelConsumer.COMMITTED -> AFTER_AN_OFFSET_COMMIT;
            case SimulatedPostgres.HUNG -> AFTER_A_THREAD_HUNG;
            default -> 1;
        };
    }

    private double upTo(double most) {
        return kernel.chance(0.5) ? 0 : kernel.random().nextDouble(most);
    }

    /** One blow, or a moment's peace. */
    void strike() {
        kernel.sleep(kernel.between(Duration.ofMillis(100), Duration.ofSeconds(1)));
        switch (kernel.random().nextInt(10)) {
            case 0 -> freeze();
            case 1 -> rebalance();
            case 2 -> rewind();
            case 3 -> outage("Kafka", broker::down);
            case 4 -> outage("Postgres", postgres::down);
            case 5 -> {
                Psp psp = one(psps);
                outage("PSP " + psp.name, psp::down);
            }
            case 6 -> loseTail();
            case 7 -> kill();
            case 8 -> copy();
            default -> { }
        }
    }

    private <T> T one(List<T> all) {
        return all.get(kernel.random().nextInt(all.size()));
    }

    private void freeze() {
        List<Host> alive = cluster.alive();
        if (freezes && !alive.isEmpty()) {
            Host host = one(alive);
            Duration time = kernel.between(Duration.ofMillis(50), Duration.ofSeconds(8));
            kernel.tell("frozen", host.name + " frozen for " + time.toMillis() + " ms");
            host.freeze(kernel.now(), kernel.after(time));
        }
    }

    private void kill() {
        List<Host> alive = cluster.alive();
        if (crash > 0 && !alive.isEmpty()) {
            Host host = one(alive);
            kernel.tell("killed", host.name + " killed");
            kernel.kill(host);
        }
    }

    /**
     * Records come again in any order, some with another amount than was accepted. What is fetched of them may outlive what is
     * staged next, if Kafka goes away over it.
     */
    private void copy() {
        TopicPartition partition = one(broker.partitions(one(WORK)));
        List<ConsumerRecord<byte[], byte[]>> all = broker.log(partition).all();
        List<ConsumerRecord<byte[], byte[]>> records = all.subList(Math.max(0, all.size() - WORTH_COPYING), all.size());
        if (copies && !records.isEmpty()) {
            int count = 1 + kernel.random().nextInt(MOST_COPIES);
            kernel.tell("records copied", count + " records of " + partition + " copied");
            kernel.copied(count);
            for (int i = 0; i < count; i++) {
                ConsumerRecord<byte[], byte[]> record = one(records);
                byte[] value = kernel.chance(0.2) ? new String(record.value(), UTF_8).replaceFirst("\"amount\":", "\"amount\":1").getBytes(UTF_8)
                        : record.value();
                broker.append(partition, new ProducerRecord<>(record.topic(), null, record.timestamp(), record.key(), value, record.headers()));
            }
            if (kernel.chance(0.5)) {
                kernel.sleep(kernel.between(Duration.ZERO, SOON));
                outage("Kafka", broker::down);
            }
        }
    }

    private void rebalance() {
        if (rebalances) {
            String topic = one(WORK);
            kernel.tell("rebalance", "rebalance of " + topic);
            broker.group(topic + ".workers").rebalance();
        }
    }

    private void rewind() {
        TopicPartition partition = one(broker.partitions(one(WORK)));
        Group group = broker.group(partition.topic() + ".workers");
        group.committed(partition).filter(offset -> rebalances && offset.offset() > 0).ifPresent(offset -> {
            long back = kernel.random().nextLong(offset.offset());
            kernel.tell("offset rewound", partition + " rewound to " + back);
            group.rewind(partition, back);
        });
    }

    private interface Switch {
        void down(boolean isDown);
    }

    private void outage(String what, Switch part) {
        if (outages) {
            Duration time = kernel.between(Duration.ofMillis(100), Duration.ofSeconds(4));
            kernel.tell(what + " away", what + " away for " + time.toMillis() + " ms");
            part.down(true);
            kernel.spawn(kernel.world(), "heal", () -> {
                kernel.sleep(time);
                part.down(false);
            });
        }
    }

    private void loseTail() {
        Log log = broker.log(one(broker.partitions(one(WORK))));
        if (losses && log.end() > 0) {
            int count = 1 + kernel.random().nextInt(3);
            kernel.tell("tail lost", "the last " + count + " records of a work topic lost, from " + log.end());
            log.loseTail(count);
        }
    }

    /** Since when nothing goes wrong. */
    Instant healedAt() {
        return healedAt;
    }

    void heal() {
        kernel.healed();
        healedAt = kernel.truth();
        kernel.crashes((host, point) -> false);
        postgres.faults(SimulatedPostgres.Faults.NONE);
        broker.faults(new Broker.Faults(0, 0, 0));
        postgres.down(false);
        broker.down(false);
        psps.forEach(psp -> {
            psp.faults(Psp.Faults.NONE);
            psp.down(false);
        });
        cluster.alive().forEach(host -> host.frozenUntil = 0);
    }
}
