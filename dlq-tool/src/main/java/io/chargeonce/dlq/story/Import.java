// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.FoundRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Takes dead letters of another environment or of another system into this queue. They touch no payment here. Those of another system can
 * be merged back to where they came from; all others are records to look at and to purge. What is or was in this queue is not taken in
 * again.
 */
public final class Import {

    /**
     * @param exportedId of a dead letter that was exported; empty for a record of another system's topic
     * @param source     where it was, with its bytes; for a payment, its request as bytes
     * @param wayBack    of a record of another system's topic
     */
    public record Imported(Optional<String> exportedId, String cause, String message, Story.Source source,
            Optional<FoundRecord.WayBack> wayBack) {}

    /**
     * @param entered came into the queue
     * @param aimless those of them that belong to another system and name no topic that they could go back to
     * @param known   were in it before
     * @param left    those of them that have left it since
     * @param large   are larger than the queue's topic takes, and were not taken in
     */
    public record Result(long entered, long aimless, long known, long left, long large) {

        public static final Result NOTHING = new Result(0, 0, 0, 0, 0);

        public Result plus(Result more) {
            return new Result(entered + more.entered, aimless + more.aimless, known + more.known, left + more.left, large + more.large);
        }
    }

    private final DeadLetterQueue queue;

    public Import(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /**
     * One commit.
     *
     * @throws io.chargeonce.vault.Vault.NoKey if there is no data key to seal them with
     */
    public Result run(List<Imported> records, AuditContext by) {
        return queue.database().inTransaction(connection -> {
            Map<String, String> here = states(connection, records.stream().flatMap(record -> record.exportedId.stream()).toList());
            List<String> ids = records.stream().flatMap(record -> record.exportedId.stream()).filter(here::containsKey).toList();
            List<DeadLetter> read = records.stream().filter(record -> record.exportedId.filter(here::containsKey).isEmpty())
                    .map(this::letter).toList();
            // What another system gave up twice is one letter.
            var letters = new LinkedHashMap<String, DeadLetter>();
            read.stream().filter(DeadLetter::fitsItsTopic).forEach(letter -> letters.putIfAbsent(letter.id(), letter));
            long large = read.stream().filter(letter -> !letter.fitsItsTopic()).count();
            Set<String> entered = DeadLetterTable.bury(connection, queue.topics(), letters.values());
            AuditLog.append(connection, letters.values().stream().filter(letter -> entered.contains(letter.id()))
                    .map(letter -> new AuditLog.Entry(by.person(), "dlq.imported", Optional.empty(), "dead_letter", letter.id(),
                            by.reason(), Map.of("run", by.run(), "cause", letter.cause())))
                    .toList());
            here.putAll(states(connection, letters.keySet().stream().filter(id -> !entered.contains(id)).toList()));
            return new Result(entered.size(), entered.stream().map(letters::get)
                    .filter(letter -> letter.source().flatMap(DeadLetter.Source::target).equals(Optional.of(""))).count(),
                    records.size() - entered.size() - large,
                    Stream.concat(ids.stream(), read.stream().map(DeadLetter::id))
                            .filter(id -> !here.getOrDefault(id, "dead").equals("dead")).count(),
                    large);
        });
    }

    private static final String STATES = "SELECT dead_letter_id, state FROM dead_letter WHERE dead_letter_id = ANY (?)";

    private static Map<String, String> states(Connection connection, List<String> ids) throws SQLException {
        var states = new HashMap<String, String>();
        Sql.all(connection, STATES, row -> states.put(row.getString(1), row.getString(2)), ids);
        return states;
    }

    private DeadLetter letter(Imported imported) {
        var source = imported.source;
        var record = new FoundRecord(source.topic(), source.partition(), source.offset(),
                source.key().orElse(null), source.value().orElse(null), source.headers().orElse(null), imported.wayBack);
        return imported.exportedId.map(id -> DeadLetter.copy(id, record, queue.vault(), imported.cause, imported.message))
                .orElseGet(() -> DeadLetter.poison(record, queue.vault(), imported.cause, imported.message));
    }
}
