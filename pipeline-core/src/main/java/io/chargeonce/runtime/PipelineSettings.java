// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The settings that every process needs: where Postgres and Kafka are, the topics and tiers, and how events name their source. Immutable.
 *
 * @param databasePassword the password of this moment, for one login; it may change while the process runs
 * @param eventSource      who says the events on the topics
 * @param admin            where a service serves health and metrics
 * @param adminToken       the token that metrics and the details of health require; without one all may read them
 */
public record PipelineSettings(String databaseUrl, String databaseUser, Supplier<String> databasePassword, String kafka,
        Optional<Path> kafkaProperties, String topicPrefix, String eventSource, List<Duration> tiers,
        Optional<Address> admin, Optional<Secret> adminToken) {

    public static final Setting<String> DATABASE_URL = Setting.string("CHARGEONCE_DATABASE_URL",
            "JDBC address of the Postgres primary; with sslmode=verify-full unless it is on this machine.")
            .exposedIf(Exposure::weakPostgres).orElse("jdbc:postgresql://127.0.0.1:15432/chargeonce");
    public static final Setting<String> DATABASE_USER = Setting.string("CHARGEONCE_DATABASE_USER",
            "Role to connect as.").orElse("postgres");
    public static final Setting<Optional<Secret>> DATABASE_PASSWORD = Setting.secretFile("CHARGEONCE_DATABASE_PASSWORD_FILE",
            "File that holds the role's password, or a token in its place. It is read for each new connection.").optional();
    public static final Setting<String> KAFKA = Setting.string("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS",
            "host:port of Kafka brokers, several separated by commas.").exposedIf(Exposure::plainKafka).orElse("127.0.0.1:19092");
    public static final Setting<Optional<Path>> KAFKA_PROPERTIES = Setting.file("CHARGEONCE_KAFKA_PROPERTIES_FILE",
            "File with more Kafka client properties (TLS, SASL).").exposedIf(Exposure::openKafkaFile).optional();
    public static final Setting<String> TOPIC_PREFIX = Setting.string("CHARGEONCE_TOPIC_PREFIX",
            "The prefix of all topics and consumer groups.").orElse("payments");
    public static final Setting<String> EVENT_SOURCE = Setting.uriReference("CHARGEONCE_EVENT_SOURCE",
            "The source (ce_source) of all events on the topics. Consumers know an event by its source and its id, so each installation "
                    + "whose events meet those of another one needs a source of its own. The first migrate fixes it for all processes.")
            .orElse("/chargeonce");
    public static final Setting<List<Duration>> TIERS = Setting.durations("CHARGEONCE_RETRY_TIERS",
            "The delay of each retry tier, shortest first; there are as many tiers as durations, 1 to 9.").orElse("5s,1m,10m");
    public static final Setting<Optional<Address>> ADMIN = Setting.address("CHARGEONCE_ADMIN_ADDRESS",
            "Where health and metrics are served.").exposedIf(Exposure::openAdmin).optional();
    public static final Setting<Optional<Secret>> ADMIN_TOKEN = Setting.tokenFile("CHARGEONCE_ADMIN_TOKEN_FILE",
            "File with the token that metrics and details of health require; needed unless only this machine can reach them.")
            .optional();

    public static final Setting<LogFormat> LOG_FORMAT = Setting.oneOf("CHARGEONCE_LOG_FORMAT", LogFormat.class,
            "The format of a service's log; json is one object per line, in the Elastic Common Schema.").orElse("text");

    /** Only for services that send payments. */
    public static final Setting<Optional<Instant>> ASK_FIRST_UNTIL = Setting.time("CHARGEONCE_ASK_FIRST_UNTIL",
            "After a restore that lost rows: until then, each PSP that can be queried about a payment is queried before each attempt, "
                    + "payments that may be at another PSP wait, and nothing goes to a bank.")
            .optional();

    /** The settings of a command. */
    public static final List<Setting<?>> ALL = List.of(DATABASE_URL, DATABASE_USER, DATABASE_PASSWORD, KAFKA,
            KAFKA_PROPERTIES, Settings.EXTRA_JARS, TOPIC_PREFIX, EVENT_SOURCE, TIERS, LOG_FORMAT, Settings.INSECURE);
    /** The settings of a service, which also serves its health. */
    public static final List<Setting<?>> OF_SERVICE = Stream.concat(ALL.stream(), Stream.of(ADMIN, ADMIN_TOKEN)).toList();

    /** The same without a login at Postgres. */
    public static final List<Setting<?>> OF_SERVICE_WITHOUT_LOGIN =
            OF_SERVICE.stream().filter(setting -> setting != DATABASE_USER && setting != DATABASE_PASSWORD).toList();

    /** The largest possible number of retry topics. */
    private static final int MOST_TIERS = 9;
    /** How long a topic keeps records; a record must still be there when its wait is over. */
    private static final Duration SHORTEST_RETENTION = Duration.ofDays(7);

    public PipelineSettings {
        if (tiers.isEmpty() || tiers.size() > MOST_TIERS) {
            throw new IllegalArgumentException("CHARGEONCE_RETRY_TIERS: needs 1 to %d durations, not %d"
                    .formatted(MOST_TIERS, tiers.size()));
        }
        for (int i = 0; i < tiers.size(); i++) {
            boolean shorter = i > 0 && tiers.get(i).compareTo(tiers.get(i - 1)) < 0;
            if (!tiers.get(i).isPositive() || shorter || tiers.get(i).compareTo(SHORTEST_RETENTION) > 0) {
                throw new IllegalArgumentException("CHARGEONCE_RETRY_TIERS: each must be longer than 0, no shorter than the one "
                        + "before and at most " + SHORTEST_RETENTION.toDays() + "d, because topics keep records only a little longer");
            }
        }
    }

    /** With a password that never changes, the default source of events, and an admin address that needs no token. */
    public PipelineSettings(String databaseUrl, String databaseUser, String databasePassword, String kafka, Optional<Path> kafkaProperties,
                            String topicPrefix, List<Duration> tiers, Optional<Address> admin) {
        this(databaseUrl, databaseUser, () -> databasePassword, kafka, kafkaProperties, topicPrefix,
                EVENT_SOURCE.fallback(), tiers, admin, Optional.empty());
    }

    public static PipelineSettings from(Settings settings) {
        return new PipelineSettings(settings.get(DATABASE_URL), settings.find(DATABASE_USER).orElse(""),
                settings.find(DATABASE_PASSWORD).flatMap(password -> password).<Supplier<String>>map(password -> password::now)
                        .orElse(() -> ""),
                settings.get(KAFKA),
                settings.get(KAFKA_PROPERTIES), settings.get(TOPIC_PREFIX), settings.get(EVENT_SOURCE), settings.get(TIERS),
                settings.find(ADMIN).flatMap(address -> address), settings.find(ADMIN_TOKEN).flatMap(token -> token));
    }

    /** Leaves the password out. */
    @Override
    public String toString() {
        return "PipelineSettings[%s as %s, Kafka at %s, topics %s.*, tiers %s]".formatted(databaseUrl, databaseUser, kafka,
                topicPrefix, tiers);
    }
}
