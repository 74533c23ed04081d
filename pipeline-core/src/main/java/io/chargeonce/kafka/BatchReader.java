// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.DefaultHostResolver;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.ManualMetadataUpdater;
import org.apache.kafka.clients.NetworkClientUtils;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;

/**
 * Reads a partition a few records at a time, and measures each batch before it unpacks it. Kafka's consumer knows only how large a batch is
 * in Kafka, and some kilobytes may be gigabytes unpacked. It speaks Kafka's protocol itself, through classes that Kafka's clients share
 * among themselves. One thread.
 */
public final class BatchReader implements AutoCloseable {
    private static final int PATIENCE_MS = 2_000;
    private static final int FETCHED_BYTES = 256 << 10;
    private static final int MOST_RECORDS = 1_000;
    /** Of one read, so that others have their turn. */
    private static final long MOST_BYTES = 4 << 20;
    /** The last version of a fetch that names topics. All brokers that we work with know it. */
    private static final short BY_NAME = 12;
    private static final LogContext LOG = new LogContext("[batch reader] ");

    /** @param next the offset to read from next */
    public record Read(List<ConsumerRecord<byte[], byte[]>> records, long next) {}

    private final Metrics metrics = new Metrics();
    private final KafkaClient client;
    private final long largestBatch;

    /** @param properties of a consumer */
    BatchReader(Map<String, Object> properties) {
        // What a service's own records unpack to is far below it.
        this(properties, Math.min(32L << 20, Runtime.getRuntime().maxMemory() / 8));
    }

    BatchReader(Map<String, Object> properties, long largestBatch) {
        this.largestBatch = largestBatch;
        this.client = ClientUtils.createNetworkClient(new ConsumerConfig(properties), "batch-reader", metrics, "batch-reader", LOG,
                new ApiVersions(), Time.SYSTEM, 1, PATIENCE_MS, null, new ManualMetadataUpdater(), new DefaultHostResolver(), null, null);
    }

    /**
     * The committed records that follow an offset. A {@link TooLargeRecord} stands in the place of a batch that does not fit into memory,
     * and ends the read. Waits for no record.
     *
     * @throws KafkaException if the broker does not answer, or refuses
     */
    public Read read(Node leader, TopicPartition partition, long offset) {
        try {
            return unpack(partition, offset, fetch(leader, partition, offset));
        } catch (IOException failure) {
            throw new NetworkException(String.valueOf(failure.getMessage()));
        }
    }

    private FetchResponseData.PartitionData fetch(Node leader, TopicPartition partition, long offset) throws IOException {
        if (!NetworkClientUtils.awaitReady(client, leader, Time.SYSTEM, PATIENCE_MS)) {
            throw new IOException(leader + " can't be reached");
        }
        var wanted = new FetchRequest.PartitionData(Uuid.ZERO_UUID, offset, FetchRequest.INVALID_LOG_START_OFFSET, FETCHED_BYTES,
                Optional.empty());
        var request = FetchRequest.Builder.forConsumer(BY_NAME, 0, 0, Map.of(partition, wanted))
                .isolationLevel(IsolationLevel.READ_COMMITTED).setMaxBytes(FETCHED_BYTES);
        var answer = (FetchResponse) NetworkClientUtils.sendAndReceive(client,
                client.newClientRequest(leader.idString(), request, Time.SYSTEM.milliseconds(), true), Time.SYSTEM).responseBody();
        FetchResponseData.PartitionData fetched = answer.responseData(Map.of(), BY_NAME).get(partition);
        if (fetched == null) {
            throw new IOException(leader + " answered without " + partition);
        }
        Errors.forCode(fetched.errorCode()).maybeThrow();
        return fetched;
    }

    private Read unpack(TopicPartition partition, long offset, FetchResponseData.PartitionData fetched) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        var aborted = new Aborted(fetched.abortedTransactions());
        long next = offset;
        long bytes = 0;
        for (RecordBatch batch : FetchResponse.recordsOrFail(fetched).batches()) {
            batch.ensureValid();
            if (batch.nextOffset() <= offset || aborted.isToBeSkipped(batch)) {
                next = Math.max(next, batch.nextOffset());
                continue;
            }
            long unpacked = unpackedBytes(batch);
            if (unpacked > largestBatch) {
                records.add(new TooLargeRecord(partition.topic(), partition.partition(), Math.max(batch.baseOffset(), offset),
                        batch.lastOffset(), batch.maxTimestamp(), batch.sizeInBytes(), unpacked));
                // To measure the next one may take as long, and others wait meanwhile.
                return new Read(records, batch.nextOffset());
            }
            try (var unpacking = batch.streamingIterator(BufferSupplier.NO_CACHING)) {
                while (unpacking.hasNext()) {
                    if (records.size() == MOST_RECORDS || bytes > MOST_BYTES) {
                        return new Read(records, next);
                    }
                    Record record = unpacking.next();
                    if (record.offset() >= offset) {
                        records.add(asConsumed(partition, batch, record));
                        bytes += record.sizeInBytes();
                        next = record.offset() + 1;
                    }
                }
            }
            // Compaction may have taken the last ones.
            next = batch.nextOffset();
        }
        return new Read(records, next);
    }

    /** Stops counting when it is too much. */
    private long unpackedBytes(RecordBatch batch) {
        if (!batch.isCompressed() || !(batch instanceof DefaultRecordBatch measurable)) {
            return batch.sizeInBytes();
        }
        long bytes = 0;
        try (var sizes = measurable.skipKeyValueIterator(BufferSupplier.NO_CACHING)) {
            while (bytes <= largestBatch && sizes.hasNext()) {
                bytes += sizes.next().sizeInBytes();
            }
        }
        return bytes;
    }

    private static ConsumerRecord<byte[], byte[]> asConsumed(TopicPartition partition, RecordBatch batch, Record record) {
        return new ConsumerRecord<>(partition.topic(), partition.partition(), record.offset(), record.timestamp(), batch.timestampType(),
                record.keySize(), record.valueSize(), bytes(record.key()), bytes(record.value()), new RecordHeaders(record.headers()),
                Optional.of(batch.partitionLeaderEpoch()).filter(epoch -> epoch >= 0));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        var bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        Utils.closeQuietly(client, "client");
        metrics.close();
    }

    /** Which batches belong to a transaction that was aborted, or are no records but a transaction's end. */
    private static final class Aborted {
        private final Deque<FetchResponseData.AbortedTransaction> notBegun;
        private final Set<Long> producers = new HashSet<>();

        /** @param transactions null if there are none */
        Aborted(List<FetchResponseData.AbortedTransaction> transactions) {
            notBegun = new ArrayDeque<>(transactions == null ? List.of() : transactions.stream()
                    .sorted(Comparator.comparingLong(FetchResponseData.AbortedTransaction::firstOffset)).toList());
        }

        /** Of each batch in turn. */
        boolean isToBeSkipped(RecordBatch batch) {
            while (!notBegun.isEmpty() && notBegun.getFirst().firstOffset() <= batch.lastOffset()) {
                producers.add(notBegun.removeFirst().producerId());
            }
            if (batch.isControlBatch()) {
                producers.remove(batch.producerId());
                return true;
            }
            return batch.isTransactional() && producers.contains(batch.producerId());
        }
    }
}
