// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Database;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.Setting;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.SealRecord;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals the audit records since the last seal: in the database, on a topic, and in this process's log. Now and then it deletes the oldest
 * records, and its seal says so. Any number of processes may run it; one of them seals at a time, and each range is sealed once. For one
 * thread.
 */
public final class AuditSealer {

    /**
     * @param every the time between two seals, while there are records to seal
     * @param kept  how long records are kept at least
     */
    public record Settings(AuditKeys keys, Duration every, Duration kept) {
        // Declared here, because reading the settings must not create a logger: the log's format follows from the settings.
        public static final Setting<Duration> EVERY = Setting.duration("CHARGEONCE_AUDIT_SEAL_EVERY",
                "How often new records of the audit log are sealed.").between("1s", "1m").orElse("30s");
        public static final Setting<Duration> KEPT = Setting.duration("CHARGEONCE_AUDIT_RETENTION",
                "How long audit records are kept at least; they are deleted a hundred million ids at a time, and their seals stay.")
                .between("90d", "3650d").orElse("400d");
        public static final Settings USUAL = new Settings(AuditKeys.NONE, Duration.ofSeconds(30));

        /** Kept for 400 days. */
        public Settings(AuditKeys keys, Duration every) {
            this(keys, every, Duration.ofDays(400));
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(AuditSealer.class);

    /** More records are sealed in several seals, one right after the other. */
    static final int MOST = 10_000;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** One in this many seals maintains the tables: if a lock is not free, appends wait a moment in vain. */
    static final int TABLES_EVERY = 20;

    private record Pass(Optional<Sealed> sealed, double oldestSeconds) {}

    private record Sealed(Seal seal, HumanActionMetrics deeds) {}

    /** @param tableEnd the last id of the next record's table: a seal covers records of one table, which is dropped as a whole */
    private record Due(String now, long tableEnd) {}

    private final Database database;
    private final Topics topics;
    private final Settings settings;
    private final int most;
    private final Runnable staged;
    private final AuditRetention retention;
    private final MeterRegistry meters;
    private final AuditWatermark horizon = new AuditWatermark();
    private volatile double oldestSeconds;

    /** @param staged called when a seal is staged for its topic */
    public AuditSealer(Database database, Topics topics, Settings settings, Runnable staged, MeterRegistry meters) {
        this(database, topics, settings, MOST, staged, meters);
    }

    AuditSealer(Database database, Topics topics, Settings settings, int most, Runnable staged, MeterRegistry meters) {
        this.database = database;
        this.topics = topics;
        this.settings = settings;
        this.most = most;
        this.staged = staged;
        this.meters = meters;
        HumanActionMetrics.show(meters);
        this.retention = new AuditRetention(settings.kept, settings.keys);
        meters.gauge("chargeonce.audit.unsealed.seconds", this, sealer -> sealer.oldestSeconds);
    }

    /** How long to wait between two passes that did nothing. */
    public Duration pause() {
        return settings.every.compareTo(LONGEST_PAUSE) < 0 ? settings.every : LONGEST_PAUSE;
    }

    /** Makes one seal if one is due. @return 1 if there is more to seal at once */
    public int runOnce() {
        Pass pass = database.inTransaction(this::pass);
        oldestSeconds = pass.oldestSeconds;
        pass.sealed.ifPresent(sealed -> {
            Seal seal = sealed.seal;
            sealed.deeds.count(meters);
            staged.run();
            LOG.info("audit seal {}: {} records, ids {} to {}, mark {} under {}{}", seal.number(), seal.records(), seal.from(), seal.to(),
                    seal.mark(), seal.keyId().map(id -> "key " + id).orElse("no key"),
                    seal.forgotten().map(last -> "; records up to %d are deleted, because their retention is over".formatted(last))
                            .orElse(""));
        });
        return pass.sealed.filter(sealed -> sealed.seal.records() == most).isPresent() ? 1 : 0;
    }

    /** Until the transaction's end. */
    private static final String ALONE = "SELECT seals_alone()";

    private Pass pass(Connection connection) throws SQLException {
        boolean alone = Sql.one(connection, ALONE, row -> row.getBoolean(1));
        return new Pass(alone ? seal(connection) : Optional.empty(), Unsealed.read(connection).oldestSeconds());
    }

    private Optional<Sealed> seal(Connection connection) throws SQLException {
        OptionalLong end = horizon.advance(connection);
        Optional<Seal> before = SealTable.last(connection);
        long from = Seal.from(before);
        if (end.isEmpty() || end.getAsLong() < from) {
            return Optional.empty();
        }
        Optional<Due> due = due(connection, from, end.getAsLong() - from + 1 >= most);
        if (due.isEmpty()) {
            return Optional.empty();
        }
        long within = Math.min(end.getAsLong(), due.get().tableEnd);
        RecordDigest digest = new RecordDigest().read(connection, from, within, most);
        if (digest.records() == 0) {
            return Optional.empty();
        }
        long to = digest.records() == most ? digest.last() : within;
        Optional<Long> forgotten = Seal.number(before) % TABLES_EVERY == 0 ? retention.enforce(connection) : Optional.empty();
        Seal seal = Seal.following(before, to, digest, forgotten, due.get().now, settings.keys);
        SealTable.insert(connection, seal);
        Outbox.stage(connection, List.of(published(seal)));
        return Optional.of(new Sealed(seal, digest.deeds()));
    }

    /** A last seal from the future was made before the clock was corrected. */
    private static final String DUE = """
            SELECT (now() AT TIME ZONE 'UTC')::text,
                   audit_table_end((SELECT audit_id FROM audit_record WHERE audit_id >= ? ORDER BY audit_id LIMIT 1))
             WHERE ? OR NOT EXISTS (SELECT FROM (SELECT sealed_at FROM audit_seal ORDER BY seal DESC LIMIT 1) AS last
                                     WHERE sealed_at BETWEEN now() - ? * interval '1 millisecond' AND now())
            """;

    /** The time, if a seal is due. */
    private Optional<Due> due(Connection connection, long from, boolean many) throws SQLException {
        return Sql.first(connection, DUE, row -> new Due(row.getString(1), row.getLong(2)), from, many, settings.every.toMillis());
    }

    private OutboxRow published(Seal seal) {
        SealRecord record = seal.record();
        var headers = PaymentHeaders.event(SealRecord.TYPE, SealRecord.VERSION, "audit-seal-" + record.mark(), seal.time());
        return new OutboxRow(topics.auditSeals(), record.key(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }
}
