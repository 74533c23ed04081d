// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Does the work of one record. Called on a virtual thread; records of one key one after another, others at the same time.
 *
 * <p>A record may come more than once, even while a call of the handler is stuck with it, so the work must be idempotent. An exception means that a dependency is down or that
 * there is a bug: the same record comes again after a pause, for ever, and its offset is not committed before it is done.
 * What is the record's own fault must therefore not be thrown; the handler puts it away (a dead letter) and says
 * {@link Verdict.Done}.
 */
@FunctionalInterface
public interface RecordHandler {
    Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception;

    /**
     * Whom the record belongs to, a merchant mostly: the loop lets them take turns, so that one who has many records, or slow ones,
     * does not delay the others. Records of which it says nothing are all of one. It must be quick, throw nothing and decide nothing
     * else: the record may be forged. Called on the poll thread.
     */
    default String shareOf(ConsumerRecord<byte[], byte[]> record) {
        return "";
    }

    /**
     * How long ago a call of it last found something away that it waits for, if one ever did. Until then it could not say
     * anything about its records, so its silence is no standstill. Any thread may ask.
     */
    default Optional<Duration> waitedAgo() {
        return Optional.empty();
    }
}
