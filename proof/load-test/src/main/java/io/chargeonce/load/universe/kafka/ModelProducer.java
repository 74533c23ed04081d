// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedThread;
import io.chargeonce.load.universe.kernel.Strands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TimeoutException;

/** A producer with acks=all, whose sends leave with a flush and may stay unanswered for ever. */
public final class ModelProducer {

    private static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGEST_LATENESS = Duration.ofSeconds(2);
    /** What {@code max.block.ms} is set to. */
    private static final Duration MAX_BLOCK = Duration.ofSeconds(10);
    /** What {@code message.timestamp.after.max.ms} is by default. */
    private static final Duration MOST_IN_THE_FUTURE = Duration.ofHours(1);

    private record Sent(ProducerRecord<byte[], byte[]> record, CompletableFuture<RecordMetadata> answer) {}

    private final Broker broker;
    private final Queue<Sent> unsent = new ArrayDeque<>();
    public final Host host = Kernel.it().host();
    private boolean fatal;
    private boolean wedged;
    private boolean closed;

    ModelProducer(Broker broker) {
        this.broker = broker;
    }

    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        if (closed) {
            throw new IllegalStateException("Cannot perform operation after producer has been closed");
        }
        // A relay may hand it over without waiting for the answer, and looks for that soon.
        unlooked();
        if (fatal) {
            throw new KafkaException("the simulated producer is in a fatal state");
        }
        broker.troubles.whyNoSend().ifPresent(thrown -> {
            throw thrown;
        });
        var sent = new Sent(record, new CompletableFuture<>());
        Kernel kernel = Kernel.it();
        if (broker.troubles.isMissing(record.topic())) {
            kernel.await(() -> !broker.troubles.isMissing(record.topic()), kernel.after(MAX_BLOCK));
        }
        boolean tooEarly = record.timestamp() != null && !broker.stamps(record.topic())
                && record.timestamp() - broker.nowMillis() > MOST_IN_THE_FUTURE.toMillis();
        if (broker.troubles.isMissing(record.topic())) {
            fail(sent, new TimeoutException("Topic " + record.topic() + " not present in metadata after 10000 ms."));
        } else if (broker.troubles.refusalOf(record.topic()).isPresent()) {
            fail(sent, broker.troubles.refusalOf(record.topic()).get());
        } else if (tooEarly) {
            kernel.mishap("a record's timestamp was refused");
            fail(sent, new InvalidTimestampException("Timestamp " + record.timestamp() + " of message is out of range"));
        } else {
            unsent.add(sent);
        }
        return sent.answer;
    }

    /** Nothing works until a new one is made. */
    public void breakForGood() {
        fatal = true;
    }

    /** A caller that waits for it waits until another thread closes it. */
    public void wedge() {
        wedged = true;
    }

    public boolean isClosed() {
        return closed;
    }

    private static void unlooked() {
        Kernel.it().host().seen.leftSome();
    }

    public void flush() {
        if (wedged) {
            Kernel.it().await(() -> closed, SimulatedThread.NEVER);
        }
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
        fail(sent, new TimeoutException(why));
    }

    private static void fail(Sent sent, RuntimeException why) {
        unlooked();
        sent.answer.completeExceptionally(why);
    }

    public void close(Duration patience) {
        close();
    }

    public void close() {
        closed = true;
        unsent.forEach(sent -> fail(sent, new KafkaException("the producer was closed")));
        unsent.clear();
    }
}
