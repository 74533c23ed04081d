// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.FoundRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Takes dead letters of another environment into this queue as records to look at and to purge: they touch no payment
 * here, and nothing of them can be merged. The same record taken in twice is one.
 */
public final class Import {

    /** @param source where it was, with its bytes; for a payment, its request as bytes */
    public record Imported(String cause, String message, Story.Source source) {}

    private final DeadLetterQueue queue;

    public Import(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /**
     * One commit.
     *
     * @throws io.chargeonce.vault.Vault.NoKey if there is no data key to seal them with
     * @return how many of them are in the queue now and never were before
     */
    public int run(List<Imported> records, AuditContext by) {
        List<DeadLetter> letters = records.stream().map(this::letter).toList();
        return queue.database().inTransaction(connection -> {
            Set<String> entered = DeadLetterTable.bury(connection, queue.topics(), letters);
            AuditLog.append(connection, letters.stream().filter(letter -> entered.contains(letter.id()))
                    .map(letter -> new AuditLog.Entry(by.person(), "dlq.imported", Optional.empty(), "dead_letter", letter.id(),
                            by.reason(), Map.of("run", by.run(), "cause", letter.cause())))
                    .toList());
            return entered.size();
        });
    }

    private DeadLetter letter(Imported imported) {
        var source = imported.source;
        return DeadLetter.poison(new FoundRecord(source.topic(), source.partition(), source.offset(),
                source.key().orElse(null), source.value().orElse(null), source.headers().orElse(null)), queue.vault(), imported.cause,
                imported.message);
    }
}
