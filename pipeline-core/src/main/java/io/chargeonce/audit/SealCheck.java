// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Whether the audit log is what was sealed: every record against its seal, every seal against the one before and its mark. Streams
 * records, so its memory does not grow with them. It may run while everything else does, and changes nothing. One thread.
 */
public final class SealCheck {

    /** @param what a sentence about one seal, or about records that no seal covers */
    public record Finding(OptionalLong seal, String what) {}

    /**
     * What was checked, and since when it holds.
     *
     * @param seals      that were checked
     * @param records    that they cover
     * @param last       the newest seal; empty if there is none
     * @param holdsSince from when on every seal up to the newest holds, in UTC; empty is from the first record on
     * @param forgotten  the seal that tells up to which record retention has taken all away; empty if it has taken none
     * @param plain      seals without a key
     * @param otherKeys  where no key was given: the ids of those that made marks, none of which was checked
     */
    public record Report(long seals, long records, Optional<Seal> last, Optional<String> holdsSince, Optional<Seal> forgotten, long plain,
            SortedSet<String> otherKeys, Unsealed unsealed) {

        public boolean holdsSinceTheFirst() {
            return holdsSince.isEmpty();
        }
    }

    private static final int SOME = 500;
    private static final String PATIENCE = "SET LOCAL statement_timeout = '30min'";

    private final Database database;
    private final AuditKeys keys;
    private final Consumer<Finding> told;
    private final SortedSet<String> otherKeys = new TreeSet<>();
    private volatile long seals;
    private long records;
    private long plain;
    private boolean keyed;
    /** The seal to begin after is not there, which was told: the next one follows none. */
    private boolean startedAfterNone;
    private Optional<Seal> before = Optional.empty();
    private Optional<String> holdsSince = Optional.empty();
    private Optional<Seal> forgotten = Optional.empty();

    /** @param told of each thing that is not as it was sealed, on the thread that checks */
    public SealCheck(Database database, AuditKeys keys, Consumer<Finding> told) {
        this.database = database;
        this.keys = keys;
        this.told = told;
    }

    /** Seals checked so far. Any thread. */
    public long seals() {
        return seals;
    }

    /** @param after only seals with higher numbers are checked; 0 for all */
    public Report check(long after) {
        begin(after);
        forgotten = database.withConnection(SealTable::forgetting).filter(this::isOurs);
        for (List<Seal> some = read(after); !some.isEmpty(); some = read(some.getLast().number())) {
            some.forEach(this::check);
        }
        before.filter(newest -> !keys.isEmpty() && newest.keyId().isEmpty()).ifPresent(newest -> {
            holdsSince = Optional.of(newest.sealedAt());
            tell(OptionalLong.of(newest.number()), "it is the newest, and no key made its mark: does charge have the key?");
        });
        Unsealed unsealed = database.inTransaction(this::outside);
        return new Report(seals, records, before, holdsSince, forgotten, plain, otherKeys, unsealed);
    }

    private static final String OLDER = """
            SELECT coalesce(max(seal), 0) FROM audit_seal WHERE sealed_at <= clock_timestamp() - ? * interval '1 second'
            """;

    /** The newest seal that is older than this; 0 if there is none. */
    public static long olderThan(Database database, Duration age) {
        return database.withConnection(connection -> {
            try (var statement = connection.prepareStatement(OLDER)) {
                statement.setLong(1, age.toSeconds());
                try (var row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    private List<Seal> read(long after) {
        return database.withConnection(connection -> SealTable.after(connection, after, SOME));
    }

    private void begin(long after) {
        if (after == 0) {
            return;
        }
        before = database.withConnection(connection -> SealTable.numbered(connection, List.of(after))).stream().findFirst();
        if (before.isEmpty()) {
            startedAfterNone = true;
            tell(OptionalLong.of(after), "the database has no such seal");
        }
        holdsSince = before.map(Seal::sealedAt);
        // What it says decides what is checked, its time above all.
        before.ifPresent(this::marked);
        plain = 0;
    }

    /** Only then is it believed that records were forgotten and not taken away. Where it is not, the chain tells that of it too. */
    private boolean isOurs(Seal seal) {
        return keys.isEmpty() ? seal.checkMark(keys) != Seal.Mark.WRONG : seal.checkMark(keys) == Seal.Mark.RIGHT;
    }

    private long forgottenTo() {
        return forgotten.flatMap(Seal::forgotten).orElse(0L);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Only the thread that checks counts.
    private void check(Seal seal) {
        boolean follows = follows(seal);
        boolean marked = marked(seal);
        boolean gone = forgotten.filter(later -> seal.number() < later.number()).isPresent() && seal.to() <= forgottenTo();
        boolean same = gone || database.inTransaction(connection -> records(connection, seal));
        if (!follows || !marked || !same) {
            holdsSince = Optional.of(seal.sealedAt());
        }
        startedAfterNone = false;
        before = Optional.of(seal);
        records += gone ? 0 : seal.records();
        seals++;
    }

    private boolean follows(Seal seal) {
        OptionalLong number = OptionalLong.of(seal.number());
        long expected = before.map(Seal::number).orElse(0L) + 1;
        if (expected != seal.number() && !startedAfterNone) {
            return tell(number, expected == seal.number() - 1 ? "seal %d is missing before it".formatted(expected)
                    : "seals %d to %d are missing before it".formatted(expected, seal.number() - 1));
        }
        if (before.isPresent() && !seal.previous().equals(before.map(Seal::mark))) {
            return tell(number, "it was made after another seal %d than the one that is there".formatted(before.get().number()));
        }
        if (before.isPresent() && seal.from() != Seal.from(before)) {
            return tell(number, "it begins at record %d and not at %d, where the one before ends"
                    .formatted(seal.from(), Seal.from(before)));
        }
        return true;
    }

    private boolean marked(Seal seal) {
        OptionalLong number = OptionalLong.of(seal.number());
        boolean lostItsKey = keyed && seal.keyId().isEmpty();
        keyed = keyed || seal.keyId().isPresent();
        plain += seal.keyId().isEmpty() ? 1 : 0;
        return switch (seal.checkMark(keys)) {
            case RIGHT -> !lostItsKey || tell(number, "it has no key, and seals before it had one");
            case WRONG -> tell(number, seal.keyId().isPresent() ? "key %s did not make its mark".formatted(seal.keyId().get())
                    : "its mark is not the hash of what it says");
            case OF_ANOTHER_KEY -> {
                if (!keys.isEmpty()) {
                    yield tell(number, "none of the keys that are given made its mark; older keys stand below the newest in their file");
                }
                otherKeys.add(seal.keyId().orElseThrow());
                yield true;
            }
        };
    }

    private boolean records(Connection connection, Seal seal) throws SQLException {
        bePatient(connection);
        RecordDigest digest = new RecordDigest().read(connection, seal.from(), seal.to(), Integer.MAX_VALUE);
        if (digest.records() != seal.records()) {
            return tell(OptionalLong.of(seal.number()), "of records %d to %d there were %,d when it was made, and there are %,d now"
                    .formatted(seal.from(), seal.to(), seal.records(), digest.records()));
        }
        return digest.sha256().equals(seal.rows()) || tell(OptionalLong.of(seal.number()),
                "one of the %,d records %d to %d is not what it was when it was sealed".formatted(seal.records(), seal.from(), seal.to()));
    }

    private static final String NEVER_GIVEN_OUT = """
            (SELECT audit_id FROM audit_record WHERE audit_id < 1 ORDER BY audit_id LIMIT 10)
             UNION ALL
            (SELECT audit_id FROM audit_record
              WHERE audit_id > (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit_record_audit_id_seq)
              ORDER BY audit_id LIMIT 10)
            """;

    private static final String FORGOTTEN = "SELECT audit_id FROM audit_record WHERE audit_id BETWEEN 1 AND ? ORDER BY audit_id LIMIT 10";

    /** What no seal covers, and never can. */
    private Unsealed outside(Connection connection) throws SQLException {
        bePatient(connection);
        try (var statement = connection.prepareStatement(NEVER_GIVEN_OUT); var row = statement.executeQuery()) {
            while (row.next()) {
                tell(OptionalLong.empty(), "record %d has an id that the log never gave out".formatted(row.getLong(1)));
            }
        }
        try (var statement = connection.prepareStatement(FORGOTTEN)) {
            statement.setLong(1, forgottenTo());
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    tell(OptionalLong.empty(), "record %d is there, and all up to %d were forgotten"
                            .formatted(row.getLong(1), forgottenTo()));
                }
            }
        }
        return Unsealed.count(connection);
    }

    private static void bePatient(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(PATIENCE);
        }
    }

    /** @return false, for it does not hold */
    private boolean tell(OptionalLong seal, String what) {
        told.accept(new Finding(seal, what));
        return false;
    }
}
