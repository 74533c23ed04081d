package io.chargeonce.audit;

import io.chargeonce.database.Database;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.runtime.Setting;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.SealRecord;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals what the audit log has got since the last seal: in the database, on a topic, and in this process's log. Any number of
 * processes may; one of them seals at a time, and each range is sealed once. For one thread.
 */
public final class AuditSealer {

    /** @param every the time between two seals, while there is something to seal */
    public record Settings(AuditKeys keys, Duration every) {
        // Here, for who reads the settings must not make a logger: which log there is follows from them.
        public static final Setting<Duration> EVERY = Setting.duration("CHARGEONCE_AUDIT_SEAL_EVERY",
                "How often new records of the audit log are sealed.").between("1s", "1m").orElse("30s");
        public static final Settings USUAL = new Settings(AuditKeys.NONE, Duration.ofSeconds(30));
    }

    private static final Logger LOG = LoggerFactory.getLogger(AuditSealer.class);

    /** More are sealed in several seals, one at once after the other. */
    static final int MOST = 10_000;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private record Pass(Optional<Seal> sealed, double oldestSeconds) {}

    private final Database database;
    private final Topics topics;
    private final Settings settings;
    private final int most;
    private final Runnable staged;
    private final Horizon horizon = new Horizon();
    private volatile double oldestSeconds;

    /** @param staged told when a seal is staged for its topic */
    public AuditSealer(Database database, Topics topics, Settings settings, Runnable staged, MeterRegistry meters) {
        this(database, topics, settings, MOST, staged, meters);
    }

    AuditSealer(Database database, Topics topics, Settings settings, int most, Runnable staged, MeterRegistry meters) {
        this.database = database;
        this.topics = topics;
        this.settings = settings;
        this.most = most;
        this.staged = staged;
        meters.gauge("chargeonce.audit.unsealed.seconds", this, sealer -> sealer.oldestSeconds);
    }

    /** How long to wait between two passes that did nothing. */
    public Duration pause() {
        return settings.every.compareTo(LONGEST_PAUSE) < 0 ? settings.every : LONGEST_PAUSE;
    }

    /** Makes one seal if it is time for one. @return 1 if there is more to be sealed at once */
    public int runOnce() {
        Pass pass = database.inTransaction(this::pass);
        oldestSeconds = pass.oldestSeconds;
        pass.sealed.ifPresent(seal -> {
            staged.run();
            LOG.info("audit seal {}: {} records, ids {} to {}, mark {} under {}", seal.number(), seal.records(), seal.from(), seal.to(),
                    seal.mark(), seal.keyId().map(id -> "key " + id).orElse("no key"));
        });
        return pass.sealed.filter(seal -> seal.records() == most).isPresent() ? 1 : 0;
    }

    private Pass pass(Connection connection) throws SQLException {
        Optional<Seal> sealed = isAlone(connection) ? seal(connection) : Optional.empty();
        return new Pass(sealed, Unsealed.read(connection).oldestSeconds());
    }

    /** Until the transaction's end. Relays hold the other locks of this class. */
    private static final String ALONE = "SELECT pg_try_advisory_xact_lock(x'0c4a'::int, 1001)";

    private static boolean isAlone(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(ALONE); var row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private Optional<Seal> seal(Connection connection) throws SQLException {
        OptionalLong end = horizon.look(connection);
        Optional<Seal> before = SealTable.last(connection);
        long from = Seal.from(before);
        if (end.isEmpty() || end.getAsLong() < from) {
            return Optional.empty();
        }
        Optional<String> now = due(connection, end.getAsLong() - from + 1 >= most);
        if (now.isEmpty()) {
            return Optional.empty();
        }
        RecordDigest digest = new RecordDigest().read(connection, from, end.getAsLong(), most);
        if (digest.records() == 0) {
            return Optional.empty();
        }
        long to = digest.records() == most ? digest.last() : end.getAsLong();
        Seal seal = Seal.following(before, to, digest, now.get(), settings.keys);
        SealTable.insert(connection, seal);
        Outbox.stage(connection, List.of(published(seal)));
        return Optional.of(seal);
    }

    /** A last seal from the future is one from before the clock was put right. */
    private static final String DUE = """
            SELECT (now() AT TIME ZONE 'UTC')::text
             WHERE ? OR NOT EXISTS (SELECT FROM (SELECT sealed_at FROM audit_seal ORDER BY seal DESC LIMIT 1) AS last
                                     WHERE sealed_at BETWEEN now() - ? * interval '1 millisecond' AND now())
            """;

    /** The time, if it is time. */
    private Optional<String> due(Connection connection, boolean many) throws SQLException {
        try (var statement = connection.prepareStatement(DUE)) {
            statement.setBoolean(1, many);
            statement.setLong(2, settings.every.toMillis());
            try (var row = statement.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    private OutboxRow published(Seal seal) {
        SealRecord record = seal.record();
        var at = LocalDateTime.parse(seal.sealedAt().replace(' ', 'T')).toInstant(ZoneOffset.UTC);
        var headers = PaymentHeaders.event(SealRecord.TYPE, "audit-seal-" + record.mark(), at);
        return new OutboxRow(topics.auditSeals(), record.key(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }
}
