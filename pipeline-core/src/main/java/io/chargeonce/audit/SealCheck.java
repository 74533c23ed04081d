// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the audit log against its seals: every record against its seal, and every seal against the previous one and its mark. It streams
 * records, so its memory does not grow with them. It may run while all services run, and changes nothing. One thread.
 */
public final class SealCheck {

    /** @param what a sentence about one seal, or about records that no seal covers */
    public record Finding(OptionalLong seal, String what) {}

    /**
     * The result of a check.
     *
     * @param seals      how many were checked
     * @param records    how many records they cover
     * @param last       the newest seal; empty if there is none
     * @param holdsSince the time from which on every seal up to the newest is right, in UTC; empty means from the first record on
     * @param forgotten  the seal that states up to which record retention has deleted; empty if none was
     * @param plain      seals without a key
     * @param otherKeys  if no key was given: the ids of the keys that made marks, none of which was checked
     */
    public record Report(long seals, long records, Optional<Seal> last, Optional<String> holdsSince, Optional<Seal> forgotten, long plain,
            SortedSet<String> otherKeys, Unsealed unsealed) {

        public boolean holdsSinceTheFirst() {
            return holdsSince.isEmpty();
        }
    }

    /**
     * Where a check starts.
     *
     * @param seal only seals with higher numbers are checked; 0 for all
     * @param mark of that seal, as an earlier check printed it. Who can write tables can make that seal and all before it again, but
     *             not with this mark. Empty if it is not known
     */
    public record Start(long seal, Optional<String> mark) {

        public static final Start AT_THE_FIRST = after(0);
        private static final Pattern WRITTEN = Pattern.compile("([1-9]\\d{0,8})(?::([0-9a-f]{64}))?");

        public static Start after(long seal) {
            return new Start(seal, Optional.empty());
        }

        public static Start after(Seal seal) {
            return new Start(seal.number(), Optional.of(seal.mark()));
        }

        /** Empty if it is not written as {@link #toString} writes it. */
        public static Optional<Start> parse(String text) {
            Matcher written = WRITTEN.matcher(text);
            return written.matches() ? Optional.of(new Start(Long.parseLong(written.group(1)), Optional.ofNullable(written.group(2))))
                    : Optional.empty();
        }

        @Override
        public String toString() {
            return seal + mark.map(":"::concat).orElse("");
        }
    }

    private static final int SOME = 500;
    private static final String PATIENCE = "SET LOCAL statement_timeout = '30min'";

    private final Database database;
    private final AuditKeys keys;
    private final Consumer<Finding> findings;
    private final SortedSet<String> otherKeys = new TreeSet<>();
    private volatile long seals;
    private long records;
    private long plain;
    private boolean keyed;
    /** The seal to start after is missing, which was reported; the next seal has no predecessor. */
    private boolean startedAfterNone;
    private Optional<Seal> before = Optional.empty();
    private Optional<String> holdsSince = Optional.empty();
    private Optional<Seal> forgotten = Optional.empty();

    /** @param findings called with each difference, on the thread that checks */
    public SealCheck(Database database, AuditKeys keys, Consumer<Finding> findings) {
        this.database = database;
        this.keys = keys;
        this.findings = findings;
    }

    /** Seals checked so far. Any thread. */
    public long seals() {
        return seals;
    }

    public Report check(Start start) {
        begin(start);
        forgotten = database.withConnection(SealTable::forgetting).filter(this::isOurs);
        for (List<Seal> some = read(start.seal); !some.isEmpty(); some = read(some.getLast().number())) {
            some.forEach(this::check);
        }
        before.filter(newest -> !keys.isEmpty() && newest.keyId().isEmpty()).ifPresent(newest -> {
            holdsSince = Optional.of(newest.sealedAt());
            report(OptionalLong.of(newest.number()), "it is the newest, and no key made its mark: check that charge has the key");
        });
        Unsealed unsealed = database.inTransaction(this::outside);
        return new Report(seals, records, before, holdsSince, forgotten, plain, otherKeys, unsealed);
    }

    private static final String OLDER = """
            SELECT coalesce(max(seal), 0) FROM audit_seal WHERE sealed_at <= clock_timestamp() - ? * interval '1 second'
            """;

    /** The newest seal older than this; 0 if there is none. */
    public static long olderThan(Database database, Duration age) {
        return database.withConnection(connection -> Sql.one(connection, OLDER, row -> row.getLong(1), age.toSeconds()));
    }

    private List<Seal> read(long after) {
        return database.withConnection(connection -> SealTable.after(connection, after, SOME));
    }

    private void begin(Start start) {
        long after = start.seal;
        if (after == 0) {
            return;
        }
        before = database.withConnection(connection -> SealTable.numbered(connection, List.of(after))).stream().findFirst();
        if (before.isEmpty()) {
            startedAfterNone = true;
            report(OptionalLong.of(after), "the database has no such seal");
        }
        before.filter(seal -> start.mark.filter(mark -> !mark.equals(seal.mark())).isPresent()).ifPresent(
                seal -> report(OptionalLong.of(after), "it is not the seal that was given: it has another mark, so it was made again"));
        holdsSince = before.map(Seal::sealedAt);
        // This seal decides what is checked, above all by its time.
        before.ifPresent(this::marked);
        plain = 0;
    }

    /** Only a seal of ours proves that retention deleted records. If it is not ours, the chain reports that too. */
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
            return report(number, expected == seal.number() - 1 ? "seal %d is missing before it".formatted(expected)
                    : "seals %d to %d are missing before it".formatted(expected, seal.number() - 1));
        }
        if (before.isPresent() && !seal.previous().equals(before.map(Seal::mark))) {
            return report(number, "it follows another seal %d than the one in the database".formatted(before.get().number()));
        }
        if (before.isPresent() && seal.from() != Seal.from(before)) {
            return report(number, "it begins at record %d and not at %d, after the end of the previous one"
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
            case RIGHT -> !lostItsKey || report(number, "it has no key, and earlier seals had one");
            case WRONG -> report(number, seal.keyId().isPresent() ? "key %s did not make its mark".formatted(seal.keyId().get())
                    : "its mark is not the hash of its content");
            case OF_ANOTHER_KEY -> {
                if (!keys.isEmpty()) {
                    yield report(number, "none of the given keys made its mark; older keys follow below the newest in their file");
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
            return report(OptionalLong.of(seal.number()), "it sealed %3$,d records between %1$d and %2$d, and there are %4$,d now"
                    .formatted(seal.from(), seal.to(), seal.records(), digest.records()));
        }
        return digest.sha256().equals(seal.rows()) || report(OptionalLong.of(seal.number()),
                "one of the %,d records %d to %d was changed after it was sealed".formatted(seal.records(), seal.from(), seal.to()));
    }

    private static final String NEVER_GIVEN_OUT = """
            (SELECT audit_id FROM audit_record WHERE audit_id < 1 ORDER BY audit_id LIMIT 10)
             UNION ALL
            (SELECT audit_id FROM audit_record
              WHERE audit_id > (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit_record_audit_id_seq)
              ORDER BY audit_id LIMIT 10)
            """;

    private static final String FORGOTTEN = "SELECT audit_id FROM audit_record WHERE audit_id BETWEEN 1 AND ? ORDER BY audit_id LIMIT 10";

    /** Records that no seal covers or ever can. */
    private Unsealed outside(Connection connection) throws SQLException {
        bePatient(connection);
        for (long id : Sql.all(connection, NEVER_GIVEN_OUT, row -> row.getLong(1))) {
            report(OptionalLong.empty(), "record %d has an id that the log never assigned".formatted(id));
        }
        for (long id : Sql.all(connection, FORGOTTEN, row -> row.getLong(1), forgottenTo())) {
            report(OptionalLong.empty(), "record %d exists, although all up to %d were deleted".formatted(id, forgottenTo()));
        }
        return Unsealed.count(connection);
    }

    private static void bePatient(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(PATIENCE);
        }
    }

    /** @return false, because the check failed */
    private boolean report(OptionalLong seal, String what) {
        findings.accept(new Finding(seal, what));
        return false;
    }
}
