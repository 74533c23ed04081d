// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.Metrics;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import java.net.URI;
import java.util.Optional;

/** Compares what grows with what it may grow to: processes, tables, and repeats of records. */
final class Bounds {

    private static final double MOST_OF_THE_HEAP = 0.9;
    private static final double MOST_DESCRIPTORS = 2_000;
    private static final double MOST_THREADS = 500;
    private static final long MOST_OUTBOX_BYTES = 256L << 20;
    private static final long MOST_BYTES_PER_OPERATION = 64L << 10;
    /** What empty tables, and those that are no payment's, may hold. */
    private static final long BYTES_TO_BEGIN_WITH = 256L << 20;

    private final CheckTotals totals;

    Bounds(CheckTotals totals) {
        this.totals = totals;
    }

    private static final String SIZES = """
            SELECT pg_total_relation_size('outbox') AS outbox, count(*) AS tables, sum(pg_total_relation_size(oid))::bigint AS bytes
              FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace AND relkind = 'r'
            """;

    void tables(DatabaseRows rows) {
        rows.each(SIZES, row -> {
            most(row.getLong("outbox"), MOST_OUTBOX_BYTES, "bytes are taken by the outbox");
            most(row.getLong("bytes"), BYTES_TO_BEGIN_WITH + totals.operations * MOST_BYTES_PER_OPERATION,
                    "bytes are taken by the tables of %d operations".formatted(totals.operations));
        });
    }

    void repeats(Recovery recovery) {
        long unexplained = totals.repeated.values().stream().mapToLong(count -> Math.max(0, count - recovery.mishaps())).sum();
        if (unexplained > recovery.copies()) {
            totals.repeated.forEach((record, count) -> {
                if (count > recovery.mishaps()) {
                    totals.findings.add(Invariant.BOUNDED, record.substring(0, record.lastIndexOf('/')),
                            "its step %s is %d more times on a work topic, where %d mishaps and %d copies made on purpose explain fewer"
                                    .formatted(
                                            record.substring(record.lastIndexOf('/') + 1), count, recovery.mishaps(), recovery.copies()));
                }
            });
        }
    }

    /** Where Kafka lost nothing, a record that waits in a backlog was taken for a lost one. */
    void stagings(Recovery recovery) {
        if (recovery.lossless()) {
            totals.stagedAgain.forEach(record -> totals.findings.add(Invariant.BOUNDED, record.substring(0, record.lastIndexOf('/')),
                    "its step %s was staged again while its record was on the topic, and Kafka had lost nothing"
                            .formatted(record.substring(record.lastIndexOf('/') + 1))));
        }
    }

    void service(URI address, Metrics metrics) {
        // What survived the last collection; before the first one nothing can have leaked.
        Optional<Double> live = metrics.sum("jvm_gc_live_data_size_bytes", "");
        Optional<Double> limit = metrics.sum("jvm_gc_max_data_size_bytes", "");
        if (live.isPresent() && limit.isPresent() && limit.get() > 0) {
            most(live.get(), limit.get() * MOST_OF_THE_HEAP, "bytes of heap are in use after a collection at " + address);
        }
        metrics.sum("process_files_open_files", "").ifPresent(open -> most(open, MOST_DESCRIPTORS, "descriptors are open at " + address));
        metrics.sum("jvm_threads_live_threads", "").ifPresent(alive -> most(alive, MOST_THREADS, "threads are alive at " + address));
        metrics.sum("chargeonce_loop_fetched_while_full_total", "")
                .ifPresent(records -> most(records, 0, "records were fetched for buffers that were full at " + address));
    }

    private void most(double found, double limit, String what) {
        if (found > limit) {
            totals.findings.addGeneral(Invariant.BOUNDED, "%.0f %s, where %.0f is the most".formatted(found, what, limit));
        }
    }
}
