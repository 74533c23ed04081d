package io.chargeonce.ingest;

import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one ingest service is made of. Immutable.
 *
 * @param address             where producers send payments; port 0 takes any free one
 * @param databaseConnections the most that this service holds, its relay's among them
 * @param chargeWithin        after this time an accepted payment is charged no more
 */
public record IngestSettings(PipelineSettings pipeline, Address address, int databaseConnections, Duration chargeWithin) {

    public static final Setting<Address> ADDRESS = Setting.address("CHARGEONCE_INGEST_ADDRESS",
            "Where producers send payments.").orElse("127.0.0.1:8080");
    public static final Setting<Integer> DATABASE_CONNECTIONS = Setting.integer("CHARGEONCE_INGEST_DATABASE_CONNECTIONS",
            "The most connections to Postgres that one ingest process holds.").between("12", "200").orElse("16");
    public static final Setting<Duration> CHARGE_WITHIN = Setting.duration("CHARGEONCE_CHARGE_WITHIN",
            "How long after its acceptance a payment may be charged.").between("1m", "30d").orElse("24h");

    /** Every setting that an ingest process reads. */
    public static final List<Setting<?>> ALL = Stream.concat(PipelineSettings.ALL.stream(),
            Stream.of(ADDRESS, DATABASE_CONNECTIONS, CHARGE_WITHIN)).toList();

    public static IngestSettings from(Settings settings) {
        return new IngestSettings(PipelineSettings.from(settings), settings.get(ADDRESS), settings.get(DATABASE_CONNECTIONS),
                settings.get(CHARGE_WITHIN));
    }
}
