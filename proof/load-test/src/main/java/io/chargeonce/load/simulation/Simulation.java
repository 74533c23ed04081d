// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Game;
import io.chargeonce.load.game.Played;
import io.chargeonce.load.game.SecretFiles;
import io.chargeonce.load.plant.Marks;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.plant.Weaving;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.vault.DataKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Plays universes one after the other over one Postgres that tells their time. For one thread. */
public final class Simulation implements Game {

    private static final int DATA_KEYS = 3;

    private final SecretFiles secrets;
    private final UniverseLoader loader;
    private final Game universe;

    /**
     * @param database JDBC URL of a fresh, empty database, for this simulation alone
     * @param plant    a bug to plant into the services first
     * @param sweeping whether the sweeper works; if not, Kafka loses nothing either
     * @param faults   what may go wrong at all
     */
    public Simulation(String database, Optional<Plant> plant, boolean sweeping, Set<Fault> faults) {
        this(database, plant, plant.flatMap(Plant::sql), sweeping, faults);
    }

    private Simulation(String database, Optional<? extends Weaving> woven, Optional<String> sql, boolean sweeping, Set<Fault> faults) {
        this.secrets = secrets();
        prepare(database);
        sql.ifPresent(statement -> execute(database, statement));
        this.loader = new UniverseLoader(woven);
        this.universe = loader.game(database, secrets, sweeping, faults);
    }

    /** The services as they are, with a mark at each place of a bug. */
    static Simulation marked(String database, Marks marks, Set<Fault> faults) {
        return new Simulation(database, Optional.of(marks), Optional.empty(), true, faults);
    }

    private static SecretFiles secrets() {
        try {
            Path directory = Files.createTempDirectory("chargeonce-simulation-");
            Path keys = directory.resolve("data-key");
            var sealing = new ArrayList<String>();
            var opening = new ArrayList<String>();
            for (int i = 0; i < DATA_KEYS; i++) {
                DataKeys.add(keys);
                sealing.add(Files.readString(directory.resolve("data-key" + DataKeys.PUBLIC)));
                Path alone = Files.copy(keys, directory.resolve("alone"), StandardCopyOption.REPLACE_EXISTING);
                DataKeys.dropOld(alone);
                opening.add(Files.readString(alone));
            }
            return new SecretFiles(directory, List.copyOf(sealing), List.copyOf(opening));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A connection that sets {@code search_path} to find these first lives in the universe's time. */
    private static final String TIME = """
            CREATE SCHEMA universe;
            GRANT USAGE ON SCHEMA universe TO PUBLIC;
            CREATE FUNCTION universe.clock_file() RETURNS text LANGUAGE sql STABLE RETURN 'universe-' || current_database();
            -- All roles see the time, and only the owner may read files.
            CREATE FUNCTION universe.now() RETURNS timestamptz LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
            BEGIN
                RETURN 'epoch'::timestamptz + pg_read_file(universe.clock_file())::bigint * interval '1 microsecond';
            END
            $$;
            CREATE FUNCTION universe.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE RETURN universe.now();
            CREATE FUNCTION universe.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE RETURN universe.now();
            DO $$
            DECLARE
                stamp record;
                own regprocedure;
                each text;
            BEGIN
                -- Those that bring a search_path of their own would see the time of outside.
                FOR own IN SELECT oid FROM pg_proc WHERE pronamespace = 'chargeonce'::regnamespace AND proconfig IS NOT NULL LOOP
                    EXECUTE format('ALTER FUNCTION %s SET search_path = chargeonce, universe, pg_catalog, pg_temp', own);
                END LOOP;
                FOR stamp IN SELECT table_name, column_name FROM information_schema.columns
                              WHERE table_schema = 'chargeonce' AND column_default IN ('now()', 'clock_timestamp()', \
            'statement_timestamp()') LOOP
                    EXECUTE format('ALTER TABLE chargeonce.%I ALTER COLUMN %I SET DEFAULT universe.now()', stamp.table_name, \
            stamp.column_name);
                END LOOP;
                -- It would come in real time, and change plans and where rows lie.
                FOR each IN SELECT relname FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace AND relkind = 'r' LOOP
                    EXECUTE format('ALTER TABLE chargeonce.%I SET (autovacuum_enabled = off)', each);
                END LOOP;
                -- A universe's database loses nothing, for it never outlives its server.
                EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
            END
            $$
            """;

    /** What a disk could lose is no part of a universe; a lost answer is. No supervisor watches its processes. */
    private static final List<String> NO_DISK = List.of("ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET full_page_writes = off",
            "ALTER SYSTEM SET checkpoint_timeout = '1h'", "ALTER SYSTEM SET update_process_title = off",
            "SELECT pg_reload_conf()");

    private static void prepare(String database) {
        Migrations.apply(database, "postgres", "");
        Roles.apply(database, "postgres", "", Optional.empty());
        execute(database, TIME);
    }

    /** Makes a whole server quick and forgetful, for one on which nothing but universes is played. */
    public static void forgetDisks(PostgresServer server) {
        NO_DISK.forEach(sql -> execute(server.jdbcUrl(), sql));
    }

    private static void execute(String database, String sql) {
        try (var connection = DriverManager.getConnection(database); var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("Postgres refused: " + e.getMessage(), e);
        }
    }

    @Override
    public Played play(long seed) {
        return universe.play(seed);
    }

    @Override
    public void close() {
        universe.close();
        try {
            loader.close();
            try (var files = Files.list(secrets.directory())) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(secrets.directory());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
