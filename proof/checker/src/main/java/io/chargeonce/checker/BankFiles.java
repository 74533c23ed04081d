// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Compares the files that banks took with those that rows name. A debit goes to its bank in one file, even if the bank would refuse a
 * second one: a bank knows a file by its message id, and would execute a debit of two files twice. The same file may come twice, with the
 * same bytes. For one thread.
 */
final class BankFiles {

    /** @param sha256 of the file, in hexadecimal digits */
    private record Sent(String payment, String message, String sha256) {}

    private final ShareContents contents;
    /** By the key of the attempt, which banks call EndToEndId. */
    private final Map<String, Sent> sent = new HashMap<>();

    BankFiles(ShareContents contents) {
        this.contents = contents;
    }

    private static final String ITEMS = """
            SELECT item.psp_key, item.payment_id, batch.message_id, coalesce(encode(batch.sha256, 'hex'), '') AS sha256
              FROM bank_batch_item AS item JOIN bank_batch AS batch USING (batch_id)
            """;

    void read(DatabaseRows rows) {
        rows.each(ITEMS, this::item);
    }

    private void item(ResultSet row) throws SQLException {
        String key = row.getString("psp_key");
        if (contents.share.holds(key)) {
            sent.put(key, new Sent(row.getString("payment_id"), row.getString("message_id"), row.getString("sha256")));
        }
    }

    /** What a bank took; a request to a PSP is none of it. */
    void request(JsonNode file) {
        String message = file.path("message_id").asString("");
        if (!message.isEmpty()) {
            file.path("items").forEach(item -> {
                if (contents.share.holds(item.asString())) {
                    taken(item.asString(), message, file);
                }
            });
        }
    }

    private void taken(String key, String message, JsonNode file) {
        Sent ours = sent.get(key);
        if (ours == null) {
            if (DatabaseRows.micros(Instant.parse(file.path("at").asString())) <= contents.rowsReadAt) {
                contents.findings.add(Invariant.ONE_FILE, key,
                        "came to its bank in the file %s, and no row has it in a file".formatted(message));
            }
        } else if (!ours.message.equals(message)) {
            contents.findings.add(Invariant.ONE_FILE, ours.payment, "attempt %s is in the file %s, and came to its bank in the file %s too"
                    .formatted(key, ours.message, message));
        } else if (!file.path("sha256").asString(ours.sha256).equals(ours.sha256)) {
            contents.findings.add(Invariant.ONE_FILE, ours.payment,
                    "the file %s came to its bank with other bytes than those that are stored"
                            .formatted(message));
        }
    }
}
