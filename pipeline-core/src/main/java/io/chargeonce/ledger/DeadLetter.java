// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.vault.Vault;
import io.chargeonce.wire.TopicPlan;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * An operation or a poison record that enters the dead-letter queue.
 *
 * @param source where a poison record was found; empty for an operation
 */
public record DeadLetter(String id, Optional<Operation> operation, String cause, String message, Optional<Source> source) {

    /**
     * @param sealed the record's key, value and headers, which may hold anything: only a {@link Vault} with the private key opens them
     * @param target of another system's record: the topic that it goes back to, or nothing if that is not known
     */
    public record Source(String topic, int partition, long offset, byte[] sealed, Optional<String> target) {}

    public static DeadLetter of(Operation operation, String cause, String message) {
        return new DeadLetter(operation.id(), Optional.of(operation), ForeignText.storable(cause), ForeignText.brief(message),
                Optional.empty());
    }

    /** A record that belongs to no operation. */
    public static DeadLetter poison(FoundRecord record, Vault vault, String cause, String message) {
        return copy(record.id(), record, vault, cause, message);
    }

    /**
     * A dead letter that was exported, as a record. Its id follows from the exported one and not from the bytes: of two exports one may be
     * masked, and it is the same dead letter.
     */
    public static DeadLetter copy(String exportedId, FoundRecord record, Vault vault, String cause, String message) {
        String id = FoundRecord.isId(exportedId) ? exportedId
                : new FoundRecord(record.topic(), 0, 0, exportedId.getBytes(StandardCharsets.UTF_8), null, null).id();
        var source = new Source(record.topic(), record.partition(), record.offset(), vault.seal(place(id), record.content().bytes()),
                record.wayBack().map(FoundRecord.WayBack::topic));
        return new DeadLetter(id, Optional.empty(), cause, ForeignText.brief(message), Optional.of(source));
    }

    /** Whether the queue's topic takes its copy. Sealed bytes do not get smaller, and base64 makes them larger by a third. */
    public boolean fitsItsTopic() {
        return source.map(found -> (found.sealed.length + 2L) / 3 * 4 <= TopicPlan.LARGEST_SEALED).orElse(true);
    }

    /** The place that a poison record's bytes are sealed for. */
    public static String place(String id) {
        return "dead letter " + id;
    }
}
