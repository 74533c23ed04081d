// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Does the work of one record. Called on a virtual thread. Records of one key run one after another, others at the same time.
 *
 * <p>A record may be handed over more than once, even while an earlier call is stuck with it, so the work must be idempotent. An exception
 * means that a dependency is down or that there is a bug. The same record is then handed over again after a pause, for ever, and its offset
 * is not committed before it is done. So the handler must not throw because of the record itself: it puts such a record away as a dead
 * letter and returns {@link Verdict.Done}.
 */
@FunctionalInterface
public interface RecordHandler {
    Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception;

    /**
     * The record's owner, mostly a merchant. Owners take turns, so that one with many or slow records does not delay the others. All
     * records with an empty owner share one turn. The method must be quick, must not throw, and must decide nothing else, because the
     * record may be forged. Called on the poll thread.
     */
    default String shareOf(ConsumerRecord<byte[], byte[]> record) {
        return "";
    }

    /**
     * How long ago a call last had to wait for a dependency that was down, if one ever did. Until then the handler could not return, so its
     * silence is no standstill. Any thread.
     */
    default Optional<Duration> waitedAgo() {
        return Optional.empty();
    }
}
