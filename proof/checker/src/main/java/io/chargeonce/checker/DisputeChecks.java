// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.evidence.Headers;
import io.chargeonce.checker.evidence.TopicNames;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares the disputes in the PSPs' ledgers with the rows, or with the messages that are kept without a payment, and the rows with the
 * topic. Webhooks are late, so a ledger may know more until all has come to rest. Looks at all of them in the first share: they are few.
 */
final class DisputeChecks {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String NEWS = " and ";

    /** @param amount empty if the PSP names none */
    private record Row(String payment, OptionalLong amount, String currency, String stage, String funds, int revision) {

        String stands() {
            return stage + NEWS + funds;
        }
    }

    /** What all kept messages about one dispute say together. */
    private record Kept(String stage, int stageRank, String funds, int fundsRank) {

        Kept and(Kept other) {
            return new Kept(other.stageRank > stageRank ? other.stage : stage, Math.max(stageRank, other.stageRank),
                    other.fundsRank > fundsRank ? other.funds : funds, Math.max(fundsRank, other.fundsRank));
        }
    }

    /** The event of the highest revision. */
    private record Told(String stage, String funds, int revision, long changedAt) {}

    private final ShareContents contents;
    private final String topic;
    private final boolean ledgersRead;
    private final boolean atRest;
    /** By the PSP's name, a slash and the PSP's id, which is also the topic's key. */
    private final Map<String, Row> rows = new HashMap<>();
    /** By the PSP's id alone: a ledger does not know what its PSP is called here. */
    private final Map<String, Row> byReference = new HashMap<>();
    private final Map<String, Kept> kept = new HashMap<>();
    private final Set<String> staged = new HashSet<>();
    private final Map<String, Told> told = new HashMap<>();

    DisputeChecks(ShareContents contents, CheckEvidence evidence) {
        this.contents = contents;
        this.topic = evidence.topicPrefix() + ".disputes";
        this.ledgersRead = !evidence.psps().isEmpty();
        this.atRest = evidence.recovery().isPresent();
    }

    private static final String DISPUTES =
            "SELECT psp, reference, payment_id, amount, coalesce(currency, '') AS currency, stage, funds, revision FROM dispute";

    private static final String KEPT = "SELECT dispute::text AS report FROM unmatched_notice WHERE outcome = 'disputed'";

    private static final String STAGED = "SELECT topic, record_key FROM outbox";

    /** Where the beginning of the audit log was forgotten, an incident may be gone. */
    private static final String BACK_TWICE = """
            SELECT operation_id AS id, amount, taken, refunded
              FROM (SELECT operation_id, amount,
                           (SELECT sum(CASE WHEN dispute.currency = charge.currency THEN dispute.amount ELSE charge.amount END)
                              FROM dispute WHERE dispute.payment_id = operation_id AND funds = 'taken' AND NOT refundable) AS taken,
                           (SELECT coalesce(sum(back.amount), 0) FROM operation_now AS back
                             WHERE back.payment_id = charge.operation_id AND back.kind = 'refund' AND back.state = 'succeeded') AS refunded
                      FROM operation AS charge
                     WHERE kind = 'charge' AND operation_id IN (SELECT payment_id FROM dispute)) AS disputed
             WHERE taken + refunded > amount
               AND NOT EXISTS (SELECT FROM audit_record
                                WHERE (resource_id = operation_id OR starts_with(resource_id, 'payment-' || operation_id || '-refund'))
                                  AND action IN ('incident.refunded_too_much', 'incident.money_taken_back'))
               AND NOT EXISTS (SELECT FROM audit_seal WHERE forgotten_to IS NOT NULL)
            """;

    void read(DatabaseRows database) {
        if (!contents.share.isFirst()) {
            return;
        }
        database.each(DISPUTES, this::row);
        database.each(KEPT, this::kept);
        database.each(STAGED, row -> {
            if (row.getString("topic").equals(topic)) {
                staged.add(row.getString("record_key"));
            }
        });
        database.each(BACK_TWICE, row -> contents.findings.add(Invariant.REFUNDS, PaymentCount.OVER_REFUNDED, row.getString("id"),
                "was captured at %d; %d was refunded and a dispute has %d, and no incident says so".formatted(row.getLong("amount"),
                        row.getLong("refunded"), row.getLong("taken"))));
    }

    private void row(ResultSet row) throws SQLException {
        long amount = row.getLong("amount");
        var dispute = new Row(row.getString("payment_id"), row.wasNull() ? OptionalLong.empty() : OptionalLong.of(amount),
                row.getString("currency"), row.getString("stage"), row.getString("funds"), row.getInt("revision"));
        rows.put(row.getString("psp") + "/" + row.getString("reference"), dispute);
        byReference.put(row.getString("reference"), dispute);
    }

    private void kept(ResultSet row) throws SQLException {
        JsonNode report = JSON.readTree(row.getString("report"));
        kept.merge(report.path("reference").asString(""), new Kept(report.path("stage").asString("").toLowerCase(Locale.ROOT),
                report.path("stage_rank").asInt(0), report.path("funds").asString("NOT_TAKEN").toLowerCase(Locale.ROOT),
                report.path("funds_rank").asInt(0)), Kept::and);
    }

    void event(ConsumerRecord<byte[], byte[]> record) {
        try {
            JsonNode json = JSON.readTree(record.value() == null ? new byte[0] : record.value());
            var event = new Told(json.path("stage").asString(""), json.path("funds").asString(""), json.path("revision").asInt(0),
                    DatabaseRows.micros(Instant.parse(json.path("changed_at").asString(""))));
            told.merge(Headers.key(record), event, (one, other) -> one.revision >= other.revision ? one : other);
        } catch (JacksonException | DateTimeException e) {
            contents.findings.addGeneral(Invariant.DISPUTES_AGREE,
                    "no event of a dispute can be read at " + Place.of(record.topic(), record.partition(), record.offset()));
        }
    }

    String topic() {
        return topic;
    }

    /** After the topic was read, which knows all that the rows know. */
    void compare(TopicNames topics) {
        boolean isWhole = topics.isWhole(topic);
        rows.forEach((id, row) -> {
            Told event = told.get(id);
            boolean isMissing = event == null || event.revision < row.revision;
            if (isMissing && isWhole && !staged.contains(id)) {
                wrong(row.payment, "has dispute %s at revision %d, and the topic %s".formatted(id, row.revision,
                        event == null ? "knows nothing of it" : "knows revision " + event.revision));
            } else if (!isMissing && (event.revision > row.revision ? event.changedAt <= contents.rowsReadAt
                    : !row.stands().equals(event.stage + NEWS + event.funds))) {
                wrong(row.payment, "has dispute %s, which is %s at revision %d, and on the topic %s%s%s at revision %d".formatted(id,
                        row.stands(), row.revision, event.stage, NEWS, event.funds, event.revision));
            }
        });
        told.forEach((id, event) -> {
            if (!rows.containsKey(id) && event.changedAt <= contents.rowsReadAt) {
                contents.findings.addGeneral(Invariant.DISPUTES_AGREE, "dispute %s is on the topic, and has no row".formatted(id));
            }
        });
    }

    /** After the rows were read. */
    void inLedger(JsonNode dispute) {
        String id = dispute.path("id").asString("");
        String payment = dispute.path("metadata").path("payment_id").asString(id);
        String stands = dispute.path("stage").asString("") + NEWS + dispute.path("funds").asString("");
        Row row = byReference.remove(id);
        if (row == null && kept.containsKey(id)) {
            Kept unmatched = kept.get(id);
            differs(payment, id, stands, unmatched.stage + NEWS + unmatched.funds);
        } else if (row == null) {
            if (atRest) {
                wrong(payment, "is disputed: %s is %s, and nothing here knows of it".formatted(id, stands));
            }
        } else if (!row.payment.equals(payment)) {
            wrong(row.payment, "has dispute %s, which is about %s".formatted(id, payment));
        } else {
            differs(payment, id, stands, row.stands());
            OptionalLong amount = Movements.minorUnits(dispute);
            if (row.amount.isPresent() && !(row.amount.equals(amount) && row.currency.equals(Movements.currency(dispute)))) {
                wrong(payment, "has dispute %s about %d %s, and at its PSP it is about %s %s".formatted(id, row.amount.getAsLong(),
                        row.currency, dispute.path("amount"), Movements.currency(dispute)));
            }
        }
    }

    private void differs(String payment, String id, String there, String here) {
        if (atRest && !there.equals(here)) {
            wrong(payment, "has dispute %s, which is %s here, and %s at its PSP".formatted(id, here, there));
        }
    }

    /** After all ledgers. */
    void unheardOf() {
        if (ledgersRead) {
            byReference.forEach((id, row) -> wrong(row.payment, "has dispute %s, of which no PSP knows".formatted(id)));
        }
    }

    private void wrong(String subject, String sentence) {
        contents.findings.add(Invariant.DISPUTES_AGREE, subject, sentence);
    }
}
