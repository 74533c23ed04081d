// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.arrived.ArrivedMails;
import io.chargeonce.checker.arrived.ArrivedWebhooks;
import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.evidence.Metrics;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.evidence.Sources;
import io.chargeonce.checker.evidence.TopicNames;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Balances the books: first what consumers say they have finished, then the rows, the topics and the ledgers, so that everything
 * read later may only know more; then the sources are compared, payment by payment. Keeps one small object per payment and none
 * per record; where those do not fit into half of the heap, it reads everything several times, for one share of the payments at a
 * time. Only reads. Any thread.
 */
public final class Checker {

    /** By so much less than its retention a topic is relied on: brokers count from their own clock. */
    private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

    private Checker() {}

    /**
     * Takes seconds to minutes, by the size of the topics.
     *
     * @throws EvidenceMissing if a source cannot be read
     */
    public static CheckVerdict check(CheckEvidence evidence) {
        return check(evidence, Sources.of(evidence), List.of());
    }

    /**
     * The same from other sources than those that the evidence names; of that, what is no address counts.
     *
     * @param witnessed what was seen to be wrong while it ran, and no source tells any more
     */
    public static CheckVerdict check(CheckEvidence evidence, Sources sources, List<Violation> witnessed) {
        return check(evidence, sources, witnessed, Share.count(operations(sources), Runtime.getRuntime().maxMemory()));
    }

    /** In so many passes over all of the evidence, each of which remembers one share of the operations. */
    static CheckVerdict check(CheckEvidence evidence, Sources sources, List<Violation> witnessed, int shares) {
        var totals = new CheckTotals();
        for (int number = 0; number < shares; number++) {
            judge(new ShareContents(new Share(number, shares), totals), evidence, sources);
        }
        Sums.check(totals, !evidence.psps().isEmpty());
        evidence.recovery().ifPresent(recovery -> recovered(totals, evidence, sources, recovery));
        witnessed.forEach(totals.findings::add);
        return CheckVerdict.of(totals, evidence, Timelines.of(evidence, sources, totals.findings.violations()));
    }

    private static final String OPERATIONS = "SELECT count(*) AS n FROM operation";

    private static long operations(Sources sources) {
        var count = new long[1];
        try (var rows = DatabaseRows.open(sources)) {
            rows.each(OPERATIONS, row -> count[0] = row.getLong("n"));
        }
        return count[0];
    }

    private static void judge(ShareContents contents, CheckEvidence evidence, Sources sources) {
        boolean atRest = evidence.recovery().isPresent();
        Optional<ArrivalEvidence> arrivals = evidence.arrivals().filter(kept -> contents.share.isFirst());
        Optional<ArrivedWebhooks> webhooks = arrivals.map(kept -> new ArrivedWebhooks(contents.findings, kept, atRest));
        Optional<ArrivedMails> mails = arrivals.map(kept -> new ArrivedMails(contents.findings, kept, atRest));
        var files = new BankFiles(contents);
        var disputes = new DisputeChecks(contents, evidence);
        try (var topics = sources.topics()) {
            List<WorkTopic> work = workTopics(contents, evidence, topics);
            readRows(contents, evidence, sources, rows -> {
                files.read(rows);
                disputes.read(rows);
                webhooks.ifPresent(came -> came.read(rows));
                mails.ifPresent(came -> came.read(rows));
            });
            readTopics(contents, evidence, topics, work, disputes);
        }
        webhooks.ifPresent(ArrivedWebhooks::compare);
        mails.ifPresent(ArrivedMails::compare);
        var movements = new Movements(contents);
        var declines = new DeclineChecks(contents);
        sources.eachMovement((psp, movement) -> movements.movement(movement));
        sources.eachRequest(request -> {
            declines.request(request);
            files.request(request);
        });
        if (contents.share.isFirst()) {
            sources.eachDispute(disputes::inLedger);
            disputes.unheardOf();
        }
        evidence.calls().ifPresent(calls -> new ClientChecks(contents).check(calls));
        contents.payments.values().forEach(new PaymentChecks(contents, evidence, !evidence.psps().isEmpty())::check);
        evidence.recovery().ifPresent(recovery -> Healed.operations(contents));
        contents.totals.count(contents);
    }

    private static void recovered(CheckTotals totals, CheckEvidence evidence, Sources sources, Recovery recovery) {
        var healed = new Healed(totals);
        var bounds = new Bounds(totals);
        try (var rows = DatabaseRows.open(sources)) {
            healed.look(rows);
            bounds.tables(rows);
        }
        healed.compare();
        bounds.repeats(recovery);
        bounds.stagings(recovery);
        var planted = new Planted(evidence.planted(), totals.findings);
        recovery.metrics().forEach(service -> {
            String metrics = sources.metrics(service);
            planted.lookThrough(service, metrics);
            bounds.service(service, new Metrics(metrics));
        });
    }

    private static void readRows(ShareContents contents, CheckEvidence evidence, Sources sources, Consumer<DatabaseRows> also) {
        try (var rows = DatabaseRows.open(sources)) {
            new OperationRows(contents).read(rows);
            new AttemptRows(contents).read(rows);
            new TierVisits(contents, evidence).read(rows);
            new DeadLetterRows(contents, evidence.topicPrefix()).read(rows);
            new SealRows(contents).read(rows);
            new ReceiptRows(contents, evidence).read(rows);
            new WebhookRows(contents, evidence).read(rows);
            also.accept(rows);
            planted(contents, evidence).lookThrough(rows);
        }
    }

    /** With the offsets of this moment: the rows already show all that is finished now. */
    private static List<WorkTopic> workTopics(ShareContents contents, CheckEvidence evidence, TopicNames topics) {
        var work = new ArrayList<WorkTopic>();
        for (int tier = 0; tier <= evidence.tiers().size(); tier++) {
            String topic = workTopic(evidence, tier);
            work.add(new WorkTopic(contents, topic, tier, topics.isWhole(topic), topics.committed(topic + ".workers", topic),
                    evidence.recovery().filter(Recovery::lossless).isPresent()));
        }
        return work;
    }

    private static void readTopics(ShareContents contents, CheckEvidence evidence, TopicNames topics, List<WorkTopic> work,
                                   DisputeChecks disputes) {
        var planted = planted(contents, evidence);
        work.forEach(topic -> topics.each(topic.name(), record -> {
            if (!topics.isOfAStranger(record)) {
                planted.lookThrough(record);
            }
            topic.record(record);
        }));
        var outcomes = new OutcomeTopic(contents);
        String told = evidence.topicPrefix() + ".outcomes";
        topics.each(told, record -> {
            planted.lookThrough(record);
            outcomes.record(record);
        });
        contents.outcomesSince = topics.isWhole(told) ? Long.MIN_VALUE : topics.retention(told)
                .map(kept -> contents.rowsReadAt - kept.minus(CLOCKS_DIFFER).toNanos() / 1_000).orElse(Long.MIN_VALUE);
        var deadLetters = new DeadLetterTopic(contents);
        topics.each(evidence.topicPrefix() + ".dlq", record -> {
            planted.lookThrough(record);
            deadLetters.record(record);
        });
        for (String rest : List.of(".audit-seals", ".intake-refused", ".waiting", ".overdue", ".receipts")) {
            if (contents.share.isFirst() && !evidence.planted().isEmpty()) {
                topics.each(evidence.topicPrefix() + rest, planted::lookThrough);
            }
        }
        if (contents.share.isFirst()) {
            topics.each(disputes.topic(), record -> {
                planted.lookThrough(record);
                disputes.event(record);
            });
            disputes.compare(topics);
        }
        deadLetters.compare();
        if (contents.share.isFirst()) {
            evidence.logs().forEach(planted::lookThrough);
        }
    }

    /** What may be nowhere is looked for once. */
    private static Planted planted(ShareContents contents, CheckEvidence evidence) {
        return new Planted(contents.share.isFirst() ? evidence.planted() : List.of(), contents.findings);
    }

    static String workTopic(CheckEvidence evidence, int tier) {
        return evidence.topicPrefix() + (tier == 0 ? ".requests" : ".retry-" + tier);
    }

    static List<String> topics(CheckEvidence evidence) {
        var topics = new ArrayList<String>();
        for (int tier = 0; tier <= evidence.tiers().size(); tier++) {
            topics.add(workTopic(evidence, tier));
        }
        topics.add(evidence.topicPrefix() + ".outcomes");
        topics.add(evidence.topicPrefix() + ".dlq");
        return topics;
    }

    private static final String UNDER_WAY = """
            SELECT (SELECT count(*) FROM operation_now
                     WHERE (state IN ('accepted', 'processing', 'scheduled', 'parked', 'unresolved')
                            OR state = 'canceled' AND settled_at IS NULL)
                       AND NOT (state = 'parked' AND failure_cause IS NOT DISTINCT FROM 'waits_for_payment' AND EXISTS (
                           SELECT FROM operation_state AS its
                            WHERE its.operation_id = payment_id
                              AND (its.state = 'dead' OR its.state = 'purged' AND its.settled_at IS NULL))))
                 + (SELECT count(*) FROM outbox WHERE refusal IS NULL) AS n
            """;

    /** How many payments and staged records are not at rest yet: cheap, to wait for 0 before a check. */
    public static long underWay(CheckEvidence evidence) {
        var count = new long[1];
        try (var rows = DatabaseRows.open(Sources.of(evidence))) {
            rows.each(UNDER_WAY, row -> count[0] = row.getLong("n"));
        }
        return count[0];
    }

    private static final String OPEN_COUNTS = """
            SELECT (SELECT count(*) FROM operation_state WHERE state IN ('scheduled', 'parked')) AS in_tiers,
                   (SELECT count(*) FROM operation_state WHERE state = 'unresolved') AS unresolved,
                   (SELECT count(*) FROM dead_letter WHERE state = 'dead') AS dead
            """;

    /** Cheap enough for once a second on a table of thousands. */
    public static OpenCounts openCounts(CheckEvidence evidence) {
        var counts = new OpenCounts[1];
        try (var rows = DatabaseRows.open(Sources.of(evidence))) {
            rows.each(OPEN_COUNTS,
                    row -> counts[0] = new OpenCounts(row.getLong("in_tiers"), row.getLong("unresolved"), row.getLong("dead")));
        }
        return counts[0];
    }

    /** Reads the seals on the audit log: a record that came to light within a sealed range, or is gone from one, shows by their number. */
    private static final class SealRows {

        private final ShareContents contents;

        SealRows(ShareContents contents) {
            this.contents = contents;
        }

        private static final String UNSOUND = """
                SELECT seal, from_id, to_id, records, begins_at, found
                  FROM (SELECT seal, from_id, to_id, records, coalesce(lag(to_id) OVER (ORDER BY seal), 0) + 1 AS begins_at,
                               (SELECT count(*) FROM audit_record WHERE audit_id BETWEEN from_id AND to_id) AS found
                          FROM audit_seal) AS sealed
                 WHERE found <> CASE WHEN to_id <= (SELECT coalesce(max(forgotten_to), 0) FROM audit_seal) THEN 0 ELSE records END
                    OR from_id <> begins_at
                """;

        void read(DatabaseRows rows) {
            if (contents.share.isFirst()) {
                rows.each(UNSOUND, this::unsound);
            }
        }

        private void unsound(ResultSet row) throws SQLException {
            contents.findings.addGeneral(Invariant.AUDIT_SEALED,
                    "audit seal %d covers records %d to %d and should begin at %d; it was made over %d records, and there are %d".formatted(
                            row.getLong("seal"), row.getLong("from_id"), row.getLong("to_id"), row.getLong("begins_at"),
                            row.getLong("records"),
                            row.getLong("found")));
        }
    }

    /** Compares money per merchant and currency, as rows, outcome events and ledgers tell it. */
    private static final class Sums {

        private Sums() {}

        static void check(CheckTotals totals, boolean ledgersRead) {
            boolean announcing = totals.money.values().stream().anyMatch(money -> money.announcing);
            totals.money.forEach((whose, money) -> {
                boolean announced = announcing || money.announced == money.succeeded - money.forgotten;
                if (!announced || ledgersRead && money.captured != money.succeeded) {
                    totals.findings.addGeneral(Invariant.MONEY_SUM, "%s: %d succeeded, %d announced, %s captured".formatted(
                            whose, money.succeeded, money.announced + money.forgotten, ledgersRead ? "" + money.captured : "?"));
                }
            });
        }
    }
}
