package io.chargeonce.ingest;

import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.wire.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What one ingest service is made of. Immutable.
 *
 * @param address             where producers send payments; port 0 takes any free one
 * @param databasePassword    empty where Postgres trusts the connection
 * @param databaseConnections the most that this service holds, its relay's among them
 * @param chargeWithin        after this time an accepted payment is charged no more
 * @param admin               where health and metrics are served; empty where somebody else serves them
 */
public record IngestSettings(
        Address address,
        String databaseUrl,
        String databaseUser,
        Optional<Secret> databasePassword,
        int databaseConnections,
        KafkaConnection kafka,
        Topics topics,
        Duration chargeWithin,
        Optional<Address> admin) {

    private static final Setting<Address> ADDRESS = Setting.address("CHARGEONCE_INGEST_ADDRESS",
            "Where producers send payments.").orElse("127.0.0.1:8080");
    private static final Setting<String> DATABASE_URL = Setting.string("CHARGEONCE_DATABASE_URL",
            "JDBC URL of the Postgres that decides, such as jdbc:postgresql://db.example.com/chargeonce.");
    private static final Setting<String> DATABASE_USER = Setting.string("CHARGEONCE_DATABASE_USER",
            "Postgres role of this process.").orElse("chargeonce");
    private static final Setting<Optional<Secret>> DATABASE_PASSWORD = Setting.secretFile("CHARGEONCE_DATABASE_PASSWORD_FILE",
            "File that holds that role's password.").optional();
    private static final Setting<Integer> DATABASE_CONNECTIONS = Setting.integer("CHARGEONCE_INGEST_DATABASE_CONNECTIONS",
            "The most connections to Postgres that one ingest process holds.").between("12", "200").orElse("16");
    private static final Setting<String> KAFKA = Setting.string("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS",
            "Kafka's brokers, host:port, several with commas between.");
    private static final Setting<Optional<Path>> KAFKA_PROPERTIES = Setting.file("CHARGEONCE_KAFKA_PROPERTIES_FILE",
            "More client properties for Kafka: TLS, SASL.").optional();
    private static final Setting<String> TOPIC_PREFIX = Setting.string("CHARGEONCE_TOPIC_PREFIX",
            "What the names of the pipeline's topics begin with.").orElse("payments");
    private static final Setting<Duration> CHARGE_WITHIN = Setting.duration("CHARGEONCE_CHARGE_WITHIN",
            "How long after its acceptance a payment may be charged.").between("1m", "30d").orElse("24h");
    private static final Setting<Optional<Address>> ADMIN = Setting.address("CHARGEONCE_ADMIN_ADDRESS",
            "Where health and metrics are served.").optional();

    /** Every setting that an ingest process reads. */
    public static final List<Setting<?>> ALL = List.of(ADDRESS, DATABASE_URL, DATABASE_USER, DATABASE_PASSWORD,
            DATABASE_CONNECTIONS, KAFKA, KAFKA_PROPERTIES, TOPIC_PREFIX, CHARGE_WITHIN, ADMIN);

    public static IngestSettings from(Settings settings) {
        return new IngestSettings(settings.get(ADDRESS), settings.get(DATABASE_URL), settings.get(DATABASE_USER),
                settings.get(DATABASE_PASSWORD), settings.get(DATABASE_CONNECTIONS),
                KafkaConnection.of(settings.get(KAFKA), settings.get(KAFKA_PROPERTIES)),
                new Topics(settings.get(TOPIC_PREFIX)), settings.get(CHARGE_WITHIN), settings.get(ADMIN));
    }
}
