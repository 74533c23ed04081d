// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import io.chargeonce.http.TlsFiles;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What one ingest service is made of. Immutable.
 *
 * @param address             where producers send payments; port 0 takes any free one
 * @param databaseConnections the most that this service holds, its relay's among them
 * @param chargeWithin        after this time an accepted payment is charged no more
 * @param tls                 empty is plain HTTP, for one machine or behind a proxy
 * @param endpoints           with which merchants manage their own webhooks
 * @param psps                the PSPs that may take a payment
 */
public record IngestSettings(PipelineSettings pipeline, Address address, int databaseConnections, Duration chargeWithin,
        Optional<TlsFiles> tls, EndpointSettings endpoints, KnownPsps psps) {

    public static final Setting<Address> ADDRESS = Setting.address("CHARGEONCE_INGEST_ADDRESS",
            "Where producers send payments.").orElse("127.0.0.1:8080");
    public static final Setting<Integer> DATABASE_CONNECTIONS = Setting.integer("CHARGEONCE_INGEST_DATABASE_CONNECTIONS",
            "The most connections to Postgres that one ingest process holds.").between("12", "200").orElse("16");
    public static final Setting<Duration> CHARGE_WITHIN = Setting.duration("CHARGEONCE_CHARGE_WITHIN",
            "How long after its acceptance a payment may be sent to a PSP for the first time. Status queries about it continue after "
                    + "that time.")
            .between("1m", "30d").orElse("24h");
    public static final Setting<Optional<Path>> TLS_CERTIFICATE = Setting.file("CHARGEONCE_INGEST_TLS_CERTIFICATE_FILE",
            "PEM file with the certificate and its chain; with it the service speaks HTTPS only.").optional();
    public static final Setting<Optional<Path>> TLS_KEY = Setting.privateFile("CHARGEONCE_INGEST_TLS_KEY_FILE",
            "PEM file with the certificate's private key in PKCS#8, unencrypted.").optional();

    /** Every setting that an ingest process reads. */
    public static final List<Setting<?>> ALL = Stream.of(PipelineSettings.OF_SERVICE,
            List.<Setting<?>>of(ADDRESS, DATABASE_CONNECTIONS, CHARGE_WITHIN, TLS_CERTIFICATE, TLS_KEY, Settings.PSP_PLUGINS),
            EndpointSettings.ALL)
            .flatMap(List::stream).toList();

    /** Without a key, merchants add no endpoints. */
    public IngestSettings(PipelineSettings pipeline, Address address, int databaseConnections, Duration chargeWithin,
                          Optional<TlsFiles> tls) {
        this(pipeline, address, databaseConnections, chargeWithin, tls, EndpointSettings.WITHOUT_KEY, KnownPsps.BUILT_IN);
    }

    public IngestSettings with(EndpointSettings others) {
        return new IngestSettings(pipeline, address, databaseConnections, chargeWithin, tls, others, psps);
    }

    /** With the PSPs of plugins, too. */
    public IngestSettings with(KnownPsps all) {
        return new IngestSettings(pipeline, address, databaseConnections, chargeWithin, tls, endpoints, all);
    }

    /** Plain HTTP. */
    public IngestSettings(PipelineSettings pipeline, Address address, int databaseConnections, Duration chargeWithin) {
        this(pipeline, address, databaseConnections, chargeWithin, Optional.empty());
    }

    /** Without plugins, which another part of the process loads: {@link #with(KnownPsps)}. */
    public static IngestSettings from(Settings settings) {
        return new IngestSettings(PipelineSettings.from(settings), settings.get(ADDRESS), settings.get(DATABASE_CONNECTIONS),
                settings.get(CHARGE_WITHIN),
                TlsFiles.of("CHARGEONCE_INGEST_TLS", settings.get(TLS_CERTIFICATE), settings.get(TLS_KEY)),
                EndpointSettings.from(settings), KnownPsps.BUILT_IN);
    }
}
