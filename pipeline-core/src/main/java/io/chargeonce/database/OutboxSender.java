// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.database.raw.HeaderBytes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * Sends staged rows to Kafka and returns the results. A topic that takes no records delays only itself: its sent rows stay under way while
 * the others go on, and it is {@link #held} meanwhile. For the relay's thread.
 */
final class OutboxSender implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxSender.class);

    /**
     * @param acknowledged ids of rows that the broker has stored durably
     * @param refused      ids of rows that it will not take as they are, and why; a row in neither is under way or tried again
     */
    record Result(List<Long> acknowledged, Map<Long, String> refused) {}

    private record Sent(TopicLane lane, Future<RecordMetadata> answer) {}

    /** How long a pass waits for the broker's answers. Slower sends stay under way. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(5);
    /** Every event has an id. */
    private static final String EVENT = "ce_id";
    private static final String SOURCE = "ce_source";

    private final RelayProducer producers;
    private final Function<Outbox.FirstRequest, OutboxRow> rendering;
    private final byte[] source;
    private final Map<Long, Sent> underWay = new LinkedHashMap<>();
    /** Rows of this pass that no record can be made of, and why. */
    private final Map<Long, String> unfit = new LinkedHashMap<>();
    private final Map<String, TopicLane> lanes = new ConcurrentHashMap<>();
    private CountDownLatch flushed = new CountDownLatch(0);

    /**
     * @param rendering makes the record of a first request
     * @param source    who says the events, in their header {@code ce_source}
     */
    OutboxSender(RelayProducer producers, Function<Outbox.FirstRequest, OutboxRow> rendering, String source) {
        this.producers = producers;
        this.rendering = rendering;
        this.source = source.getBytes(StandardCharsets.UTF_8);
    }

    /** Whether it can send now; if not, a pause after a failure is not over yet. */
    boolean isReady() {
        return producers.get().isPresent();
    }

    /** Whether rows were sent whose result is not known yet. */
    boolean isSending() {
        return !underWay.isEmpty() || lanes.values().stream().anyMatch(lane -> lane.scout().isPresent());
    }

    /** Topics whose rows must not be passed to {@link #send} now. */
    Set<String> held() {
        return lanes.values().stream().filter(TopicLane::isHeld).map(lane -> lane.topic).collect(Collectors.toSet());
    }

    /** What is wrong, in one line; empty if all our staged rows can be sent. Any thread. */
    Optional<String> problem() {
        return producers.problem().or(() -> lanes.values().stream().filter(TopicLane::isOurs).map(TopicLane::problem)
                .flatMap(Optional::stream).findFirst());
    }

    /** Returns the results of these rows, and of earlier ones that were still under way. */
    Result send(List<Outbox.Staged> rows) {
        Optional<Producer<byte[], byte[]>> producer = producers.get();
        try {
            producer.ifPresent(taking -> {
                rows.forEach(row -> send(taking, row));
                await(taking);
            });
        } catch (RuntimeException e) {
            giveUp(e);
        }
        return collect();
    }

    /** Every row is one transaction's; what is wrong with it must not keep the others here. */
    private void send(Producer<byte[], byte[]> producer, Outbox.Staged row) {
        try {
            send(producer, row, record(row));
        } catch (JacksonException | NullPointerException | IllegalArgumentException odd) {
            unfit.put(row.id(), row.request().isPresent() ? "no record can be made of its operation: " + odd.getMessage()
                    : row.headersJson() == null ? "its operation is not there any more, or was not accepted with it: drop it"
                            : "its headers are no JSON object of texts: correct or drop it");
        }
    }

    private void send(Producer<byte[], byte[]> producer, Outbox.Staged row, ProducerRecord<byte[], byte[]> record) {
        TopicLane known = lanes.get(row.topic());
        TopicLane lane = known != null ? known : lanes.computeIfAbsent(row.topic(),
                topic -> new TopicLane(topic, row.rawHeaders() == null));
        if (lane.isKnown() && !lane.isHeld()) {
            Future<RecordMetadata> answer = producer.send(record);
            underWay.put(row.id(), new Sent(lane, answer));
            if (answer.isDone() && answer.state() == Future.State.FAILED && answer.exceptionNow() instanceof RetriableException) {
                // This send has blocked already, and the topic's other rows would block as long.
                lane.unknown();
                lane.slow(true);
            }
        } else if (!lane.isHeld()) {
            lane.sends(scout(producer, row.id(), record));
        }
    }

    private static TopicLane.Scout scout(Producer<byte[], byte[]> producer, long row, ProducerRecord<byte[], byte[]> record) {
        var handedOver = new CompletableFuture<Future<RecordMetadata>>();
        Thread.ofVirtual().name("outbox-scout").start(() -> {
            try {
                handedOver.complete(producer.send(record));
            } catch (RuntimeException | Error e) {
                handedOver.completeExceptionally(e);
            }
        });
        return new TopicLane.Scout(row, handedOver);
    }

    /** No timestamp of ours: the broker's clock says when it took the record, and a header says when it was staged. */
    private ProducerRecord<byte[], byte[]> record(Outbox.Staged row) {
        boolean isOurs = row.rawHeaders() == null;
        byte[] key = isOurs ? row.key().getBytes(StandardCharsets.UTF_8) : row.rawKey();
        Optional<OutboxRow> rendered = row.request().map(rendering);
        var record = new ProducerRecord<>(row.topic(), key, rendered.flatMap(OutboxRow::value).orElse(row.value()));
        if (!isOurs) {
            HeaderBytes.read(row.rawHeaders()).forEach(record.headers()::add);
        }
        rendered.map(OutboxRow::headers).orElseGet(row::headers)
                .forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        // A tombstone and another system's record are no events of ours. A row cannot name its source.
        if (isOurs && record.headers().lastHeader(EVENT) != null) {
            record.headers().remove(SOURCE).add(SOURCE, source);
        }
        return record;
    }

    /** Waits until all sends just made are answered, for a bounded time. A topic that has not answered by then is slow. */
    private void await(Producer<byte[], byte[]> producer) {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (underWay.values().stream().anyMatch(sent -> !sent.answer.isDone())) {
            flush(producer);
            if (underWay.values().stream().allMatch(sent -> sent.lane.isSlow() || sent.answer.isDone())) {
                return;
            }
            if (System.nanoTime() - giveUp >= 0) {
                underWay.values().stream().filter(sent -> !sent.answer.isDone()).forEach(sent -> sent.lane.slow(true));
                return;
            }
            try {
                flushed.await(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** A flush returns when all sends are answered. One is enough: while it runs, Kafka's client sends everything at once. */
    private void flush(Producer<byte[], byte[]> producer) {
        if (flushed.getCount() == 0) {
            var done = new CountDownLatch(1);
            flushed = done;
            Thread.ofVirtual().name("outbox-flush").start(() -> {
                try {
                    producer.flush();
                } catch (RuntimeException e) {
                    LOG.debug("a flush ended with its producer: {}", e.toString());
                } finally {
                    done.countDown();
                }
            });
        }
    }

    private Result collect() {
        lanes.values().forEach(this::collectScout);
        var result = new Result(new ArrayList<>(), new LinkedHashMap<>(unfit));
        unfit.clear();
        Map<TopicLane, Throwable> failures = new LinkedHashMap<>();
        int failed = 0;
        lanes.values().forEach(lane -> lane.slow(false));
        for (Iterator<Map.Entry<Long, Sent>> each = underWay.entrySet().iterator(); each.hasNext();) {
            var sent = each.next();
            TopicLane lane = sent.getValue().lane;
            if (!sent.getValue().answer.isDone()) {
                lane.slow(true);
                continue;
            }
            each.remove();
            Optional<Throwable> failure = failure(sent.getValue().answer);
            if (failure.isEmpty()) {
                result.acknowledged.add(sent.getKey());
                lane.acknowledged();
            } else if (isAboutTheRow(failure.get())) {
                result.refused.put(sent.getKey(), String.valueOf(failure.get().getMessage()));
            } else {
                failed++;
                failures.put(lane, failure.get());
            }
        }
        judge(result, failures, failed);
        return result;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // They are done, and each is looked into.
    private void collectScout(TopicLane lane) {
        lane.scout().filter(scout -> scout.handedOver().isDone()).ifPresent(scout -> {
            if (scout.handedOver().isCompletedExceptionally()) {
                giveUp(scout.handedOver().exceptionNow());
            } else {
                Future<RecordMetadata> answer = scout.handedOver().resultNow();
                underWay.put(scout.row(), new Sent(lane, answer));
                lane.scouted();
                if (answer.isDone() && answer.state() == Future.State.FAILED) {
                    lane.unknown();
                }
            }
        });
    }

    /** Of a send that is done. */
    static Optional<Throwable> failure(Future<RecordMetadata> over) {
        try {
            over.get();
            return Optional.empty();
        } catch (ExecutionException e) {
            return Optional.of(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(e);
        }
    }

    private void judge(Result result, Map<TopicLane, Throwable> failures, int failed) {
        if (!result.acknowledged.isEmpty()) {
            producers.acknowledged();
        }
        if (failures.isEmpty()) {
            return;
        }
        failures.forEach(TopicLane::failed);
        Throwable last = List.copyOf(failures.values()).getLast();
        LOG.warn("Kafka did not take {} records for {}; they are sent again: {}", failed,
                failures.keySet().stream().map(lane -> lane.topic).toList(), last.toString());
        // A refused record fails its whole batch, which says nothing about the producer.
        Optional<Throwable> fatal = failures.values().stream().filter(OutboxSender::isAboutTheProducer).findFirst()
                .filter(found -> result.refused.isEmpty());
        if (fatal.isPresent()) {
            giveUp(fatal.get());
        } else if (result.acknowledged.isEmpty() && firstOfOurs(failures).filter(producers::tookNothing).isPresent()) {
            forgetWhatIsUnderWay();
        }
    }

    /** What another system's topic does not take says nothing about Kafka. */
    private static Optional<Throwable> firstOfOurs(Map<TopicLane, Throwable> failures) {
        return failures.entrySet().stream().filter(failed -> failed.getKey().isOurs()).map(Map.Entry::getValue).findFirst();
    }

    private void giveUp(Throwable why) {
        producers.replace(why);
        forgetWhatIsUnderWay();
    }

    private void forgetWhatIsUnderWay() {
        underWay.clear();
        lanes.values().forEach(TopicLane::forget);
        flushed = new CountDownLatch(0);
    }

    /** Refused because of the record itself, not because of the broker's or the topic's health. */
    private static boolean isAboutTheRow(Throwable failure) {
        return failure instanceof RecordTooLargeException || failure instanceof RecordBatchTooLargeException
                || failure instanceof InvalidRecordException;
    }

    /** Neither temporary nor about the topic: a producer that was refused, fenced or has lost its sequence does not recover. */
    private static boolean isAboutTheProducer(Throwable failure) {
        return !(failure instanceof RetriableException || failure instanceof TopicAuthorizationException
                || failure instanceof InvalidTopicException || failure instanceof InvalidTimestampException
                || failure instanceof InterruptedException);
    }

    @Override
    public void close() {
        producers.close();
    }
}
