// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.agreed;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.Sql;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one row of settings that all processes must have in common. {@code migrate} writes it. A process whose own settings differ does not
 * start: it would move or delete rows, or name events, by rules that the other processes do not have. Any thread.
 *
 * @param retention how long a key stays taken after the last thing that happened to its payment
 * @param tiers     the delays of the retry tiers; empty until {@code migrate} has set them
 * @param source    who says the events; empty until {@code migrate} has set it
 */
public record AgreedSettings(Duration retention, Optional<List<Duration>> tiers, Optional<String> source) {

    private static final Logger LOG = LoggerFactory.getLogger(AgreedSettings.class);

    private static final String READ = "SELECT retention_days, tiers, event_source FROM agreed";

    /** Without the row nothing is ever forgotten. */
    private static final AgreedSettings NONE = new AgreedSettings(Duration.ofDays(3650), Optional.empty(), Optional.empty());

    public static AgreedSettings read(Connection connection) throws SQLException {
        return Sql.first(connection, READ, row -> new AgreedSettings(Duration.ofDays(row.getInt(1)), durations(row.getArray(2)),
                Optional.ofNullable(row.getString(3)))).orElse(NONE);
    }

    private static final String OVER = "SELECT retention_days FROM agreed WHERE clock_timestamp() - retention_days * interval '1 day' > ?";

    /** The agreed retention if it is over for what happened then, by Postgres's clock. */
    public static Optional<Duration> retentionOver(Connection connection, Instant then) throws SQLException {
        return Sql.first(connection, OVER, row -> Duration.ofDays(row.getInt(1)), then);
    }

    private static Optional<List<Duration>> durations(Array milliseconds) throws SQLException {
        return milliseconds == null ? Optional.empty()
                : Optional.of(Stream.of((Long[]) milliseconds.getArray()).map(Duration::ofMillis).toList());
    }

    /** What a process with these tiers has to change; empty if it may go on. */
    public Optional<String> differenceTo(List<Duration> own) {
        return tiers.filter(agreed -> !agreed.equals(own)).map(agreed -> ("CHARGEONCE_RETRY_TIERS is %s here, and %s is agreed for all "
                + "processes. Set it to that; or agree on other tiers with chargeonce migrate --agree-tiers, and restart every service")
                .formatted(words(own), words(agreed)));
    }

    /** What a process with this source has to change; empty if it may go on. */
    public Optional<String> differenceTo(String own) {
        return source.filter(agreed -> !agreed.equals(own)).map(agreed -> ("CHARGEONCE_EVENT_SOURCE is %s here, and %s is agreed for all "
                + "processes. Set it to that; or agree on another one with chargeonce migrate --agree-source, and restart every service")
                .formatted(own, agreed));
    }

    /** As the setting is written: {@code 5s,1m,10m}. */
    public static String words(List<Duration> tiers) {
        return tiers.stream().map(AgreedSettings::words).collect(Collectors.joining(","));
    }

    private static String words(Duration tier) {
        long millis = tier.toMillis();
        return millis % 1000 != 0 ? millis + "ms" : millis % 60_000 != 0 ? millis / 1000 + "s"
                : millis % 3_600_000 != 0 ? millis / 60_000 + "m" : millis / 3_600_000 + "h";
    }

    /**
     * Refuses the start of a process whose settings differ. A process that starts while Postgres is away is not refused.
     *
     * @param tiers of a process that has tiers
     * @throws IllegalStateException saying what to change
     */
    public static void mustHave(Database database, Optional<List<Duration>> tiers, String source) {
        try {
            AgreedSettings agreed = database.withConnection(AgreedSettings::read);
            tiers.flatMap(agreed::differenceTo).or(() -> agreed.differenceTo(source)).ifPresent(difference -> {
                throw new IllegalStateException(difference);
            });
        } catch (DatabaseUnavailable | DatabaseRefused away) {
            LOG.warn("The agreed settings could not be read, so this process's own are not compared with them: {}", away.getMessage());
        }
    }

    private static final String AGREE_ON_TIERS = "UPDATE agreed SET tiers = ?";

    /** For the schema's owner. */
    public static void agreeOn(Connection connection, List<Duration> tiers) throws SQLException {
        Sql.update(connection, AGREE_ON_TIERS, connection.createArrayOf("int8", tiers.stream().map(Duration::toMillis).toArray()));
    }

    private static final String AGREE_ON_SOURCE = "UPDATE agreed SET event_source = ?";

    /** For the schema's owner. */
    public static void agreeOn(Connection connection, String source) throws SQLException {
        Sql.update(connection, AGREE_ON_SOURCE, source);
    }

    private static final String DELETABLE = "SELECT count(*) FROM idempotency_key WHERE created_at < now() - ? * interval '1 day'";

    /** How many keys are older than that: at most so many payments could be forgotten at once. For the schema's owner. */
    public static long deletableAfter(Connection connection, Duration retention) throws SQLException {
        return Sql.one(connection, DELETABLE, row -> row.getLong(1), Math.toIntExact(retention.toDays()));
    }

    private static final String AGREE_ON_RETENTION = "UPDATE agreed SET retention_days = ?";

    /** For the schema's owner. */
    public static void agreeOn(Connection connection, Duration retention) throws SQLException {
        Sql.update(connection, AGREE_ON_RETENTION, Math.toIntExact(retention.toDays()));
    }
}
