package io.chargeonce.checker;

import java.util.ArrayList;
import java.util.List;

/**
 * Balances the books: rows first, then the topics, then the ledgers, so that everything read later may only know more; then
 * the sources are compared, payment by payment. Keeps one small object per payment and none per record. Only reads. Any thread.
 */
public final class Checker {

    private Checker() {}

    /**
     * Takes seconds to minutes, by the size of the topics.
     *
     * @throws EvidenceMissing if a source cannot be read
     */
    public static Verdict check(Evidence evidence) {
        var books = new Books();
        readRows(books, evidence);
        readTopics(books, evidence);
        var movements = new Movements(books);
        var declines = new Declines(books);
        evidence.psps().forEach(psp -> {
            var ledger = new Ledger(psp);
            ledger.movements(movements::movement);
            ledger.requests(declines::request);
        });
        evidence.calls().ifPresent(calls -> new ClientChecks(books).check(calls));
        boolean ledgersRead = !evidence.psps().isEmpty();
        var checks = new PaymentChecks(books, evidence, ledgersRead);
        books.payments.values().forEach(checks::check);
        Sums.check(books, ledgersRead);
        evidence.recovery().ifPresent(recovery -> recovered(books, evidence, recovery));
        return Verdict.of(books, evidence, Timelines.of(evidence, books.findings.violations()));
    }

    private static void recovered(Books books, Evidence evidence, Recovery recovery) {
        var healed = new Healed(books);
        var bounds = new Bounds(books);
        try (var rows = Rows.open(evidence)) {
            healed.look(rows);
            bounds.tables(rows);
        }
        healed.compare();
        bounds.repeats(recovery);
        recovery.metrics().forEach(bounds::service);
    }

    private static void readRows(Books books, Evidence evidence) {
        try (var rows = Rows.open(evidence)) {
            new OperationRows(books).read(rows);
            new AttemptRows(books).read(rows);
            new DeadLetterRows(books, evidence.topicPrefix()).read(rows);
            new Planted(evidence.planted(), books.findings).lookThrough(rows);
        }
    }

    private static void readTopics(Books books, Evidence evidence) {
        var planted = new Planted(evidence.planted(), books.findings);
        try (var topics = new TopicScan(evidence)) {
            for (int tier = 0; tier <= evidence.tiers().size(); tier++) {
                String topic = workTopic(evidence, tier);
                var work = new WorkTopic(books, topic, tier, topics.committed(topic + ".workers", topic));
                topics.each(topic, record -> {
                    planted.lookThrough(record);
                    work.record(record);
                });
            }
            var outcomes = new OutcomeTopic(books);
            topics.each(evidence.topicPrefix() + ".outcomes", record -> {
                planted.lookThrough(record);
                outcomes.record(record);
            });
            var deadLetters = new DeadLetterTopic(books);
            topics.each(evidence.topicPrefix() + ".dlq", record -> {
                planted.lookThrough(record);
                deadLetters.record(record);
            });
            deadLetters.compare();
        }
        evidence.logs().forEach(planted::lookThrough);
    }

    static String workTopic(Evidence evidence, int tier) {
        return evidence.topicPrefix() + (tier == 0 ? ".requests" : ".retry-" + tier);
    }

    static List<String> topics(Evidence evidence) {
        var topics = new ArrayList<String>();
        for (int tier = 0; tier <= evidence.tiers().size(); tier++) {
            topics.add(workTopic(evidence, tier));
        }
        topics.add(evidence.topicPrefix() + ".outcomes");
        topics.add(evidence.topicPrefix() + ".dlq");
        return topics;
    }

    private static final String UNDER_WAY = """
            SELECT (SELECT count(*) FROM operation
                     WHERE state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved'))
                 + (SELECT count(*) FROM outbox WHERE refusal IS NULL) AS n
            """;

    /** How many payments and staged records are not at rest yet: cheap, to wait for 0 before a check. */
    public static long underWay(Evidence evidence) {
        var count = new long[1];
        try (var rows = Rows.open(evidence)) {
            rows.each(UNDER_WAY, row -> count[0] = row.getLong("n"));
        }
        return count[0];
    }

    private static final String STANDING = """
            SELECT (SELECT count(*) FROM operation WHERE state IN ('scheduled', 'parked')) AS in_tiers,
                   (SELECT count(*) FROM operation WHERE state = 'unresolved') AS unresolved,
                   (SELECT count(*) FROM dead_letter WHERE state = 'dead') AS dead
            """;

    /** Cheap enough for once a second on a table of thousands. */
    public static Standing standing(Evidence evidence) {
        var standing = new Standing[1];
        try (var rows = Rows.open(evidence)) {
            rows.each(STANDING, row -> standing[0] = new Standing(row.getLong("in_tiers"), row.getLong("unresolved"), row.getLong("dead")));
        }
        return standing[0];
    }
}
