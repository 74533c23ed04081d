package io.chargeonce.database;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.InvalidRecordException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends staged rows to Kafka and waits until the broker has answered for each. For the relay's thread. */
final class OutboxSender {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxSender.class);

    /**
     * @param acknowledged ids that the broker has durably
     * @param refused      ids that it will never take, and why; what is in neither is simply tried again
     */
    record Result(List<Long> acknowledged, Map<Long, String> refused) {}

    private final Producer<byte[], byte[]> producer;

    OutboxSender(Producer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    Result send(List<Outbox.Staged> rows) {
        var pending = new LinkedHashMap<Long, Future<RecordMetadata>>();
        for (var row : rows) {
            pending.put(row.id(), producer.send(record(row)));
        }
        producer.flush();
        return await(pending);
    }

    private static ProducerRecord<byte[], byte[]> record(Outbox.Staged row) {
        byte[] key = row.key().getBytes(StandardCharsets.UTF_8);
        var record = new ProducerRecord<>(row.topic(), null, row.stagedAtMillis(), key, row.value());
        row.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        return record;
    }

    private static Result await(Map<Long, Future<RecordMetadata>> pending) {
        var acknowledged = new ArrayList<Long>();
        var refused = new LinkedHashMap<Long, String>();
        Throwable passing = null;
        for (var sent : pending.entrySet()) {
            try {
                sent.getValue().get();
                acknowledged.add(sent.getKey());
            } catch (ExecutionException e) {
                if (isForEver(e.getCause())) {
                    refused.put(sent.getKey(), String.valueOf(e.getCause().getMessage()));
                } else {
                    passing = e.getCause();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        if (passing != null) {
            LOG.warn("Kafka did not take {} of {} records; they are sent again: {}",
                    pending.size() - acknowledged.size() - refused.size(), pending.size(), passing.toString());
        }
        return new Result(acknowledged, refused);
    }

    /** Refused for what the record is, whatever the broker's health. */
    private static boolean isForEver(Throwable failure) {
        return failure instanceof RecordTooLargeException || failure instanceof RecordBatchTooLargeException
                || failure instanceof InvalidTopicException || failure instanceof InvalidTimestampException
                || failure instanceof InvalidRecordException;
    }
}
