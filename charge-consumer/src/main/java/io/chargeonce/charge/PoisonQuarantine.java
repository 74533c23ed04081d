// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.text.Cut;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PoisonCause;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores records that can never become a payment in the dead-letter queue, with their original bytes, sealed. Of one that is too
 * large it keeps only where it is. Any thread; concurrent ones
 * share a commit, so that a flood of poison takes no connection from the payments.
 */
final class PoisonQuarantine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonQuarantine.class);
    private static final byte[] NO_EVIDENCE = "[]".getBytes(StandardCharsets.UTF_8);
    private static final int MOST_HEADERS = 50;
    private static final int LONGEST_HEADER = 1024;
    /** Sealed and written as text they are a third more, and still fit into a record of the topic of dead letters. */
    private static final int MOST_KEPT = 3 << 19;

    private final Vault vault;
    private final MeterRegistry meters;
    private final Coalescer<DeadLetter, Boolean> coalescer;

    PoisonQuarantine(Database database, Topics topics, Vault vault, Runnable committed, MeterRegistry meters) {
        this.vault = vault;
        this.meters = meters;
        this.coalescer = new Coalescer<>("poison", database, 1, committed, (connection, letters) -> {
            DeadLetterTable.bury(connection, topics, letters);
            return Collections.nCopies(letters.size(), true);
        });
    }

    /** Changes no operation. A record that is read again is the same dead letter. */
    Verdict keep(ConsumerRecord<byte[], byte[]> record, PoisonCause cause, String detail) {
        byte[] evidence = evidence(record);
        long bytes = (long) size(record.key()) + size(record.value()) + evidence.length;
        if (bytes > MOST_KEPT) {
            return keep(new ConsumerRecord<>(record.topic(), record.partition(), record.offset(), null, null), PoisonCause.OVERSIZED,
                    String.format(Locale.ROOT, "%s: %s. Its %,d bytes are too many to be kept here; Kafka has them until it deletes them",
                            cause.tag(), detail, bytes));
        }
        try {
            keep(DeadLetter.poison(found(record, evidence), vault, cause.tag(), detail));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            meters.counter("chargeonce.bugs", "where", "poison").increment();
            LOG.error("Bug! Poison at {}-{} offset {} could not be stored with its headers; only its key and value are stored",
                    record.topic(), record.partition(), record.offset(), bug);
            keep(DeadLetter.poison(found(record, NO_EVIDENCE), vault, cause.tag(), Bug.digest(bug)));
        }
        meters.counter("chargeonce.poison", "cause", cause.tag()).increment();
        return Verdict.done();
    }

    private static int size(byte[] part) {
        return part == null ? 0 : part.length;
    }

    private static FoundRecord found(ConsumerRecord<byte[], byte[]> record, byte[] evidence) {
        return new FoundRecord(record.topic(), record.partition(), record.offset(), record.key(), record.value(), evidence);
    }

    private void keep(DeadLetter letter) {
        DatabaseRetry.insist(() -> coalescer.ask(letter));
    }

    /** Headers may be hostile too: their count and size are limited, and only people read them. */
    private static byte[] evidence(ConsumerRecord<byte[], byte[]> record) {
        var headers = new ArrayList<Map<String, String>>();
        for (Header header : record.headers()) {
            if (headers.size() == MOST_HEADERS) {
                break;
            }
            String value = header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
            headers.add(Map.of("name", brief(header.key()), "value", brief(value)));
        }
        return PaymentJson.write(headers);
    }

    private static String brief(String text) {
        return Cut.to(LONGEST_HEADER, text);
    }

    @Override
    public void close() {
        coalescer.close();
    }
}
