// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.database.Database;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.PollContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Parallel Consumer in batches, writing this pipeline's tables and outcomes: two commits a batch, the PSP's calls side by side
 * on virtual threads, outcomes produced without an outbox and awaited. No tiers, no leases, one fate for a whole batch.
 */
final class ParallelBatched implements Contestant {

    private static final int BATCH = 200;
    private static final int BATCHES_AT_ONCE = 16;

    @Override
    public String name() {
        return "parallel-consumer-batched";
    }

    @Override
    public String about() {
        return "Parallel Consumer, " + BATCHES_AT_ONCE + " batches of " + BATCH + " with unnest, the same tables, no outbox";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        var database = Database.openForService(arena.plot().jdbcUrl(), "postgres", "", BATCHES_AT_ONCE);
        var producer = new ProducerSettings(new KafkaConnection(arena.plot().kafka(), Map.of()), name()).newProducer();
        var calls = Executors.newVirtualThreadPerTaskExecutor();
        var consumer = ParallelPerRecord.newProcessor(arena, name(), ParallelConsumerOptions.<byte[], byte[]>builder()
                .ordering(ParallelConsumerOptions.ProcessingOrder.KEY).maxConcurrency(BATCHES_AT_ONCE).batchSize(BATCH));
        consumer.poll(context -> handle(arena, database, producer, calls, context));
        return () -> {
            consumer.closeDontDrainFirst();
            calls.close();
            producer.close();
            database.close();
        };
    }

    private static void handle(Arena arena, Database database, Producer<byte[], byte[]> producer, ExecutorService calls,
                               PollContext<byte[], byte[]> context) {
        List<PipelineRows.Claimed> batch = context.getConsumerRecordsFlattened().stream()
                .map(record -> PipelineRows.Claimed.of(OutcomeEvents.request(record.value()))).toList();
        database.inTransaction(connection -> {
            PipelineRows.claim(connection, batch);
            return null;
        });
        try {
            List<PipelineRows.Settled> settled = charge(arena, calls, batch);
            database.inTransaction(connection -> {
                PipelineRows.settle(connection, settled);
                return null;
            });
            publish(arena, producer, settled);
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("the batch is repeated", e);
        }
    }

    private static List<PipelineRows.Settled> charge(Arena arena, ExecutorService calls, List<PipelineRows.Claimed> batch)
            throws InterruptedException, ExecutionException {
        List<Callable<PipelineRows.Settled>> tasks = new ArrayList<>();
        for (var claimed : batch) {
            tasks.add(() -> new PipelineRows.Settled(claimed, arena.psp().charge(claimed.key().value(), claimed.request().paymentId())));
        }
        var settled = new ArrayList<PipelineRows.Settled>();
        for (Future<PipelineRows.Settled> call : calls.invokeAll(tasks)) {
            settled.add(call.get());
        }
        return settled;
    }

    private static void publish(Arena arena, Producer<byte[], byte[]> producer, List<PipelineRows.Settled> settled)
            throws InterruptedException, ExecutionException {
        var sent = new ArrayList<Future<RecordMetadata>>();
        for (var each : settled) {
            sent.add(producer.send(OutcomeEvents.record(arena.outcomes(), each.claimed().request(), each.reference())));
        }
        for (var each : sent) {
            each.get();
        }
    }
}
