// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.wire.PoisonCause;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Whether a filter names things that exist: a typing error would select nothing, and that looks like good news. The queue itself is
 * searched only for a value that is known nowhere else.
 */
public final class KnownValues {

    /**
     * A value that does not exist.
     *
     * @param option the option that has it
     * @param why    what of it is not so
     * @param known  those that exist; empty if there are too many to list
     */
    public record Unknown(String option, String value, String why, SortedSet<String> known) {

        public Unknown(String option, String value, SortedSet<String> known) {
            this(option, value, "does not exist and never did", known);
        }
    }

    /** The pipeline's other causes, beside those of failures and of poison. */
    private static final List<String> OTHER_CAUSES = List.of("unresolved", "expired", "no_route", "psp_cannot_refund", "lost_in_kafka",
            "stopped", "waits_for_payment", "psp_not_queried", "found_at_psp", "retry_budget",
            "decline_unverified");

    private static final SortedSet<String> CAUSES = causes();

    private KnownValues() {}

    private static SortedSet<String> causes() {
        var causes = new TreeSet<>(OTHER_CAUSES);
        Arrays.stream(FailureCause.values()).map(FailureCause::tag).forEach(causes::add);
        Arrays.stream(PoisonCause.values()).map(PoisonCause::tag).forEach(causes::add);
        return causes;
    }

    /** Those values that nothing has, and never had. */
    public static List<Unknown> missing(DeadLetterQueue queue, Optional<String> cause, Optional<String> psp, Optional<String> merchant,
                                        Optional<Integer> tier, Optional<String> run) {
        return queue.database().withConnection(connection -> Stream.of(
                cause(connection, cause),
                known(connection, "--psp", psp, PSPS, PSPS_IN_QUEUE, PSPS_IN_TIERS),
                known(connection, "--merchant", merchant, MERCHANTS, MERCHANTS_IN_QUEUE, MERCHANTS_IN_TIERS),
                tier.isEmpty() ? Optional.<Unknown>empty() : tier(connection, queue.tiers(), tier.get()),
                run(connection, run)).flatMap(Optional::stream).toList());
    }

    /**
     * The key and the reference that no payment or refund has. A customer and a PSP's reference have no index, and are not looked for among
     * millions.
     */
    public static List<Unknown> missing(DeadLetterQueue queue, PaymentNames names) {
        return Stream.of(name(queue, "--key", names.key()), name(queue, "--reference", names.reference())).flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Unknown> name(DeadLetterQueue queue, String option, Optional<String> name) {
        return name.filter(given -> PaymentSearch.find(queue, given).isEmpty())
                .map(given -> new Unknown(option, given, "no payment or refund has", new TreeSet<>()));
    }

    /** A summary adds details to some causes. */
    private static Optional<Unknown> cause(Connection connection, Optional<String> cause) throws SQLException {
        if (cause.isEmpty() || CAUSES.contains(cause.get())) {
            return Optional.empty();
        }
        if (cause.get().startsWith("unresolved: ") || cause.get().startsWith("internal_error: ")) {
            return Optional.empty();
        }
        var known = new TreeSet<>(CAUSES);
        known.addAll(texts(connection, CAUSES_IN_QUEUE));
        known.addAll(texts(connection, CAUSES_IN_TIERS));
        return known.contains(cause.get()) ? Optional.empty() : Optional.of(new Unknown("--cause", cause.get(), known));
    }

    private static final String CAUSES_IN_QUEUE = "SELECT DISTINCT cause FROM dead_letter";
    private static final String CAUSES_IN_TIERS = """
            SELECT DISTINCT failure_cause FROM waiting JOIN operation_now USING (operation_id) WHERE list = 'work' AND failure_cause IS \
            NOT NULL
            """;
    /** Those that a process was set up for. */
    private static final String PSPS = "SELECT DISTINCT psp FROM psp_health";
    private static final String PSPS_IN_QUEUE = "SELECT DISTINCT psp FROM dead_letter WHERE psp IS NOT NULL";
    private static final String PSPS_IN_TIERS = """
            SELECT DISTINCT awaited.psp
              FROM waiting JOIN operation_state AS its USING (operation_id) CROSS JOIN unnest(psps_awaited(its)) AS awaited (psp)
             WHERE list = 'work'
            """;
    private static final String MERCHANTS = "SELECT merchant_id FROM merchant";
    private static final String MERCHANTS_IN_QUEUE = "SELECT DISTINCT merchant_id FROM dead_letter WHERE merchant_id IS NOT NULL";
    private static final String MERCHANTS_IN_TIERS = """
            SELECT DISTINCT merchant_id FROM waiting JOIN operation_now USING (operation_id) WHERE list = 'work' AND merchant_id IS NOT NULL
            """;

    private static Optional<Unknown> known(Connection connection, String option, Optional<String> value, String sql, String... others)
            throws SQLException {
        if (value.isEmpty()) {
            return Optional.empty();
        }
        var known = new TreeSet<>(texts(connection, sql));
        if (!known.contains(value.get())) {
            for (String other : others) {
                known.addAll(texts(connection, other));
            }
        }
        return known.contains(value.get()) ? Optional.empty() : Optional.of(new Unknown(option, value.get(), known));
    }

    /** Also of a pipeline that had more of them before. */
    private static final String TIERS = """
            SELECT tier::text FROM dead_letter WHERE tier IS NOT NULL
             UNION
            SELECT lane FROM waiting WHERE list = 'work'
            """;

    /** None is no tier, and may be asked for. */
    private static Optional<Unknown> tier(Connection connection, int configured, int number) throws SQLException {
        if (number <= configured) {
            return Optional.empty();
        }
        var known = new TreeSet<>(texts(connection, TIERS));
        known.remove("0");
        IntStream.rangeClosed(1, configured).mapToObj(Integer::toString).forEach(known::add);
        return known.contains(Integer.toString(number)) ? Optional.empty()
                : Optional.of(new Unknown("--tier", Integer.toString(number), known));
    }

    private static final String RUN = """
            SELECT run_id FROM dlq_run WHERE run_id = ?
             UNION ALL
            (SELECT 'of another kind' FROM audit_record WHERE action LIKE 'dlq.%' AND audit_detail(data, 'run') = ? LIMIT 1)
            """;

    private static Optional<Unknown> run(Connection connection, Optional<String> run) throws SQLException {
        if (run.isEmpty()) {
            return Optional.empty();
        }
        return Sql.any(connection, RUN, run.get(), run.get()) ? Optional.empty()
                : Optional.of(new Unknown("--run", run.get(), new TreeSet<>()));
    }

    private static List<String> texts(Connection connection, String sql) throws SQLException {
        return Sql.all(connection, sql, row -> row.getString(1));
    }
}
