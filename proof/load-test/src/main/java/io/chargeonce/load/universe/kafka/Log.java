// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;

/** One partition. Its tail can be lost, as with a broker that had not written it to its disk. */
public final class Log {

    private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    private final String topic;
    private final int partition;
    private final boolean stampedByBroker;
    private final List<Long> judged = new ArrayList<>();
    /** Where each leader's time began, except the first one's: a leader that lost a tail begins a new time there. */
    private final List<Long> laterLeadersBegan = new ArrayList<>();
    private boolean whole = true;

    Log(String topic, int partition, boolean stampedByBroker) {
        this.topic = topic;
        this.partition = partition;
        this.stampedByBroker = stampedByBroker;
    }

    /**
     * Returns the record's offset.
     *
     * @param postgresMillis the same moment by the clock of who judges
     */
    long append(ProducerRecord<byte[], byte[]> sent, long nowMillis, long postgresMillis) {
        judged.add(postgresMillis);
        long timestamp = stampedByBroker || sent.timestamp() == null ? nowMillis : sent.timestamp();
        records.add(new ConsumerRecord<>(topic, partition, records.size(), timestamp,
                stampedByBroker ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
                sent.key() == null ? -1 : sent.key().length, sent.value() == null ? -1 : sent.value().length,
                sent.key(), sent.value(), sent.headers(), Optional.of(laterLeadersBegan.size())));
        return records.size() - 1;
    }

    boolean isStampedByBroker() {
        return stampedByBroker;
    }

    public long end() {
        return records.size();
    }

    /**
     * Where one goes on who has read up to an offset: there, or where what it has read ends, if the log was cut before it. It may
     * have grown beyond the offset again since.
     *
     * @param leaderEpoch of the last record that was read; without it the cut does not show
     */
    long goOnFrom(long offset, Optional<Integer> leaderEpoch) {
        return leaderEpoch.stream().flatMap(epoch -> laterLeadersBegan.stream().skip(epoch)).reduce(offset, Math::min);
    }

    List<ConsumerRecord<byte[], byte[]>> read(long from, int most) {
        return List.copyOf(records.subList((int) from, (int) Math.min(records.size(), from + most)));
    }

    public List<ConsumerRecord<byte[], byte[]>> all() {
        return List.copyOf(records);
    }

    /** With the broker's timestamps as if its clock went with Postgres's. */
    List<ConsumerRecord<byte[], byte[]>> judged() {
        return records.stream().map(record -> !stampedByBroker ? record : new ConsumerRecord<>(topic, partition, record.offset(),
                judged.get((int) record.offset()), record.timestampType(), record.serializedKeySize(), record.serializedValueSize(),
                record.key(), record.value(), record.headers(), record.leaderEpoch())).toList();
    }

    /** A topic of the same name, without a record. */
    void recreate() {
        loseTail(records.size());
        laterLeadersBegan.clear();
    }

    /** Whether it never lost any. */
    public boolean isWhole() {
        return whole;
    }

    public void loseTail(int count) {
        whole = false;
        int kept = Math.max(0, records.size() - count);
        records.subList(kept, records.size()).clear();
        judged.subList(kept, judged.size()).clear();
        laterLeadersBegan.add((long) kept);
    }
}
