// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.Headers;
import io.chargeonce.checker.finding.Invariant;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Folds the compacted topic into the set of live dead letters that any Kafka tool sees, and compares it with the rows. */
final class DeadLetterTopic {

    /** @param revision empty for a tombstone that the pipeline did not write */
    private record Seen(boolean live, OptionalInt revision) {

        /** Of two copies the higher revision is the newer, in any order. A foreign tombstone has none: there the later record counts. */
        Seen then(Seen later) {
            boolean byPlace = revision.isEmpty() || later.revision.isEmpty();
            return byPlace || later.revision.getAsInt() >= revision.getAsInt() ? later : this;
        }
    }

    private static final JsonMapper JSON = new JsonMapper();

    private final ShareContents contents;
    private final Map<String, Seen> folded = new HashMap<>();

    DeadLetterTopic(ShareContents contents) {
        this.contents = contents;
    }

    void record(ConsumerRecord<byte[], byte[]> record) {
        if (!contents.share.holds(Headers.key(record))) {
            return;
        }
        if (record.key() == null) {
            wrong("", "a record without a key is on the dead-letter topic at "
                    + Place.of(record.topic(), record.partition(), record.offset()));
            return;
        }
        String id = new String(record.key(), StandardCharsets.UTF_8);
        Seen seen = seen(record, id);
        if (!isNews(record, id, seen)) {
            folded.merge(id, seen, Seen::then);
        }
    }

    /** A change that was made while we read, so that the row knows nothing of it. Brokers cut their time to milliseconds. */
    private boolean isNews(ConsumerRecord<byte[], byte[]> record, String id, Seen seen) {
        ShareContents.Letter letter = contents.letters.get(id);
        return (letter == null || seen.revision.isEmpty() || seen.revision.getAsInt() > letter.revision())
                && (record.timestamp() + 1) * 1_000 > contents.rowsReadAt;
    }

    private Seen seen(ConsumerRecord<byte[], byte[]> record, String id) {
        if (record.value() == null) {
            return new Seen(false, Headers.number(record, "chargeonce-revision"));
        }
        try {
            return new Seen(true, OptionalInt.of(JSON.readTree(record.value()).path("revision").asInt(0)));
        } catch (JacksonException e) {
            wrong(id, "is unreadable on the dead-letter topic at " + Place.of(record.topic(), record.partition(), record.offset()));
            return new Seen(true, OptionalInt.of(0));
        }
    }

    void compare() {
        contents.letters.forEach((id, letter) -> {
            Seen seen = folded.remove(id);
            if (letter.pending()) {
                return;
            }
            if (letter.live() && (seen == null || !seen.live)) {
                wrong(id, "is a live dead letter in the database, and not on the topic");
            } else if (!letter.live() && seen != null && seen.live) {
                wrong(id, "has left the dead-letter queue in the database, and is live on the topic");
            } else if (seen != null && seen.revision.isPresent() && seen.revision.getAsInt() != letter.revision()) {
                wrong(id,
                        "is at revision %d in the database, and at %d on the topic".formatted(letter.revision(), seen.revision.getAsInt()));
            }
        });
        folded.forEach((id, seen) -> {
            if (seen.live) {
                wrong(id, "is live on the dead-letter topic, and unknown to the database");
            }
        });
    }

    private void wrong(String id, String sentence) {
        if (id.isEmpty()) {
            contents.findings.addGeneral(Invariant.DLQ_ALGEBRA, sentence);
        } else {
            contents.findings.add(Invariant.DLQ_ALGEBRA, id, sentence);
        }
    }
}
