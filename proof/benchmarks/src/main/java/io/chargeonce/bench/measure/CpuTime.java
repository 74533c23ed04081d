// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import io.chargeonce.database.Sql;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/**
 * CPU time from the process accounting: of this JVM (contestant and broker, and PSP stub and load where they are in it) and of Postgres
 * with all its backends, ended ones too. Linux only. Any thread.
 */
public final class CpuTime {

    private static final long MICROS_PER_TICK = 10_000;
    private static final String BACKEND = "SELECT pg_backend_pid()";

    private final com.sun.management.OperatingSystemMXBean jvm =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final long postmaster;

    /** The fields of /proc/PID/stat that count here. */
    private record Stat(long pid, long parent, long ticks, long ticksOfEndedChildren) {}

    /** So many microseconds, of which Postgres took so many. */
    public record Spent(long micros, long postgresMicros) {

        public Spent since(Spent before) {
            return new Spent(micros - before.micros, postgresMicros - before.postgresMicros);
        }
    }

    public CpuTime(String postgresUrl) throws SQLException {
        try (var connection = DriverManager.getConnection(postgresUrl)) {
            this.postmaster = read(Path.of("/proc/" + Sql.one(connection, BACKEND, row -> row.getLong(1)) + "/stat")).parent;
        }
    }

    public long micros() {
        return spent().micros;
    }

    /** Since both began. */
    public Spent spent() {
        long postgres = postgresMicros();
        return new Spent(postgres + jvmMicros(), postgres);
    }

    public long jvmMicros() {
        return jvm.getProcessCpuTime() / 1_000;
    }

    /** Reads again when a backend ended meanwhile: its time would be neither among the living nor among the ended. */
    public long postgresMicros() {
        Path file = Path.of("/proc/" + postmaster + "/stat");
        Stat before;
        Stat after = read(file);
        long living;
        do {
            before = after;
            living = all().stream().filter(stat -> stat.parent == postmaster).mapToLong(Stat::ticks).sum();
            after = read(file);
        } while (after.ticksOfEndedChildren != before.ticksOfEndedChildren);
        return (after.ticks + after.ticksOfEndedChildren + living) * MICROS_PER_TICK;
    }

    private static List<Stat> all() {
        try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
            return entries.filter(entry -> entry.getFileName().toString().matches("\\d+"))
                    .map(entry -> read(entry.resolve("stat"))).toList();
        } catch (IOException e) {
            throw new IllegalStateException("the process accounting cannot be read: " + e.getMessage(), e);
        }
    }

    /** A process that has just ended is no child of any process. */
    private static Stat read(Path file) {
        try {
            String line = Files.readString(file);
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return new Stat(Long.parseLong(line.substring(0, line.indexOf(' '))), Long.parseLong(fields[1]),
                    Long.parseLong(fields[11]) + Long.parseLong(fields[12]), Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
        } catch (IOException ended) {
            return new Stat(0, 0, 0, 0);
        }
    }
}
