package io.chargeonce.load.universe;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** A producer with acks=all, whose sends leave with a flush and may stay unanswered for ever. */
final class ModelProducer {

    private static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGEST_LATENESS = Duration.ofSeconds(2);

    private record Sent(ProducerRecord<byte[], byte[]> record, CompletableFuture<RecordMetadata> answer) {}

    private final Broker broker;
    private final Queue<Sent> unsent = new ArrayDeque<>();

    ModelProducer(Broker broker) {
        this.broker = broker;
    }

    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        var sent = new Sent(record, new CompletableFuture<>());
        unsent.add(sent);
        return sent.answer;
    }

    public void flush() {
        for (Sent sent = unsent.poll(); sent != null; sent = unsent.poll()) {
            Kernel.it().point("before a record is taken");
            deliver(sent);
        }
        Kernel.it().point("after the records are acknowledged");
    }

    private void deliver(Sent sent) {
        Kernel kernel = Kernel.it();
        long giveUp = kernel.after(DELIVERY_TIMEOUT);
        if (broker.isDown()) {
            kernel.await(() -> !broker.isDown(), giveUp);
        }
        TopicPartition partition = broker.partitionOf(sent.record);
        if (broker.isDown() || kernel.chance(broker.faults().notTaken())) {
            fail(sent, "the simulated broker did not take it");
        } else if (kernel.chance(broker.faults().late())) {
            Strands.later(Kernel.it().world(), () -> broker.append(partition, sent.record),
                    kernel.after(kernel.between(Duration.ZERO, LONGEST_LATENESS)));
            kernel.mishap("a record is taken late");
            fail(sent, "the simulated broker will take it later");
        } else {
            long offset = broker.append(partition, sent.record);
            if (kernel.chance(broker.faults().ackLost())) {
                kernel.mishap("an acknowledgement got lost");
                fail(sent, "the simulated broker's answer got lost");
            } else {
                sent.answer.complete(new RecordMetadata(partition, offset, 0, kernel.truth().toEpochMilli(), 0, 0));
            }
        }
    }

    private static void fail(Sent sent, String why) {
        Kernel.it().host().looked = -1;
        sent.answer.completeExceptionally(new TimeoutException(why));
    }

    public void close() {
        unsent.clear();
    }

    public void close(Duration patience) {
        close();
    }
}
