package io.chargeonce.checker;

import java.util.ArrayList;
import java.util.List;

/**
 * Balances the books: first what consumers say they have finished, then the rows, the topics and the ledgers, so that everything
 * read later may only know more; then the sources are compared, payment by payment. Keeps one small object per payment and none
 * per record. Only reads. Any thread.
 */
public final class Checker {

    private Checker() {}

    /**
     * Takes seconds to minutes, by the size of the topics.
     *
     * @throws EvidenceMissing if a source cannot be read
     */
    public static Verdict check(Evidence evidence) {
        return check(evidence, Sources.of(evidence));
    }

    /** The same from other sources than those that the evidence names; of that, what is no address counts. */
    public static Verdict check(Evidence evidence, Sources sources) {
        var books = new Books();
        try (var topics = sources.topics()) {
            List<WorkTopic> work = workTopics(books, evidence, topics);
            readRows(books, evidence, sources);
            readTopics(books, evidence, topics, work);
        }
        var movements = new Movements(books);
        var declines = new Declines(books);
        sources.eachMovement((psp, movement) -> movements.movement(movement));
        sources.eachRequest(declines::request);
        evidence.calls().ifPresent(calls -> new ClientChecks(books).check(calls));
        boolean ledgersRead = !evidence.psps().isEmpty();
        var checks = new PaymentChecks(books, evidence, ledgersRead);
        books.payments.values().forEach(checks::check);
        Sums.check(books, ledgersRead);
        evidence.recovery().ifPresent(recovery -> recovered(books, evidence, sources, recovery));
        return Verdict.of(books, evidence, Timelines.of(evidence, sources, books.findings.violations()));
    }

    private static void recovered(Books books, Evidence evidence, Sources sources, Recovery recovery) {
        var healed = new Healed(books);
        var bounds = new Bounds(books);
        try (var rows = Rows.open(sources)) {
            healed.look(rows);
            bounds.tables(rows);
        }
        healed.compare();
        bounds.repeats(recovery);
        var planted = new Planted(evidence.planted(), books.findings);
        recovery.metrics().forEach(service -> {
            String metrics = sources.metrics(service);
            planted.lookThrough(service, metrics);
            bounds.service(service, new Metrics(metrics));
        });
    }

    private static void readRows(Books books, Evidence evidence, Sources sources) {
        try (var rows = Rows.open(sources)) {
            new OperationRows(books).read(rows);
            new AttemptRows(books).read(rows);
            new TierVisits(books, evidence.tiers()).read(rows);
            new DeadLetterRows(books, evidence.topicPrefix()).read(rows);
            new Planted(evidence.planted(), books.findings).lookThrough(rows);
        }
    }

    /** With the offsets of this moment: whatever is finished now, the rows already show. */
    private static List<WorkTopic> workTopics(Books books, Evidence evidence, Topics topics) {
        var work = new ArrayList<WorkTopic>();
        for (int tier = 0; tier <= evidence.tiers().size(); tier++) {
            String topic = workTopic(evidence, tier);
            work.add(new WorkTopic(books, topic, tier, topics.isWhole(topic), topics.committed(topic + ".workers", topic)));
        }
        return work;
    }

    private static void readTopics(Books books, Evidence evidence, Topics topics, List<WorkTopic> work) {
        var planted = new Planted(evidence.planted(), books.findings);
        work.forEach(topic -> topics.each(topic.name(), record -> {
            planted.lookThrough(record);
            topic.record(record);
        }));
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
        try (var rows = Rows.open(Sources.of(evidence))) {
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
        try (var rows = Rows.open(Sources.of(evidence))) {
            rows.each(STANDING, row -> standing[0] = new Standing(row.getLong("in_tiers"), row.getLong("unresolved"), row.getLong("dead")));
        }
        return standing[0];
    }
}
