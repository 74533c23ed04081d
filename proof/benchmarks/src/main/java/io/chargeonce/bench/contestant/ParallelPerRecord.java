// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.wire.PaymentRecord;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ParallelConsumerOptionsBuilder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Confluent's Parallel Consumer, key order, one record at a time on so many threads. */
final class ParallelPerRecord implements Contestant {

    private static final int MOST_CONNECTIONS = 32;
    private final int threads;

    private ParallelPerRecord(int threads) {
        this.threads = threads;
    }

    static ParallelPerRecord of(int threads) {
        return new ParallelPerRecord(threads);
    }

    @Override
    public String name() {
        return "parallel-consumer-" + threads;
    }

    @Override
    public String about() {
        return "Parallel Consumer, KEY order, " + threads + " threads, one table, two commits a payment";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        var payments = new PeerPayments(arena, Math.min(threads, MOST_CONNECTIONS));
        var producer = new ProducerSettings(new KafkaConnection(arena.plot().kafka(), Map.of("linger.ms", "5")), name()).newProducer();
        var consumer = newProcessor(arena, name(), ParallelConsumerOptions.<byte[], byte[]>builder()
                .ordering(ParallelConsumerOptions.ProcessingOrder.KEY).maxConcurrency(threads));
        consumer.poll(context -> handle(arena, payments, producer, OutcomeEvents.request(context.value())));
        return () -> {
            consumer.closeDontDrainFirst();
            producer.close();
            payments.close();
        };
    }

    static ParallelStreamProcessor<byte[], byte[]> newProcessor(Arena arena, String group,
                                                                ParallelConsumerOptionsBuilder<byte[], byte[]> options) {
        Map<String, Object> properties = Map.of("bootstrap.servers", arena.plot().kafka(), "group.id", arena.requests() + "." + group,
                "enable.auto.commit", "false", "auto.offset.reset", "earliest", "max.poll.records", "2000");
        var consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var processor = ParallelStreamProcessor.createEosStreamProcessor(options.consumer(consumer)
                .commitMode(ParallelConsumerOptions.CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS).build());
        processor.subscribe(List.of(arena.requests()));
        return processor;
    }

    private static void handle(Arena arena, PeerPayments payments, Producer<byte[], byte[]> producer, PaymentRecord request) {
        if (payments.begin(request)) {
            String reference = arena.psp().charge(request.paymentId(), request.paymentId());
            payments.settle(request, reference);
            producer.send(OutcomeEvents.record(arena.outcomes(), request, reference));
        }
    }
}
