package io.chargeonce.ingest;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.AdminServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Optional;

/** Health and metrics of an ingest process: ready while Postgres answers. */
final class IngestAdmin {

    private IngestAdmin() {}

    static AdminServer start(Address address, Database database, MeterRegistry meters) {
        return AdminServer.start(address, () -> meters instanceof PrometheusMeterRegistry prometheus ? prometheus.scrape() : "")
                .ready("postgres", () -> problem(database));
    }

    private static final String PING = "SELECT FROM merchant LIMIT 1";

    private static Optional<String> problem(Database database) {
        try {
            return database.withConnection(connection -> {
                try (var statement = connection.createStatement()) {
                    statement.execute(PING);
                    return Optional.empty();
                }
            });
        } catch (DatabaseUnavailable | DatabaseRefused e) {
            return Optional.of(e.getMessage());
        }
    }
}
