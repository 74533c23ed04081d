// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a thief with the login of a service that sends would try: to begin again what is over, and so to read what it says. */
class SenderTheftTest {

    private static RobbedDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = new RobbedDatabase();
    }

    @AfterAll
    static void close() throws SQLException {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sent", "dead", "erased"})
    void the_receipts_service_begins_no_receipt_again(String state) throws SQLException {
        database.refused("chargeonce_receipts", """
                UPDATE receipt SET state = 'waiting', ended_at = NULL, attempts = 1, due_at = now() + interval '1 hour'
                 WHERE state = '%s'""".formatted(state));
    }

    @ParameterizedTest
    @ValueSource(strings = {"delivered", "dead"})
    void the_webhooks_service_begins_no_delivery_again(String state) throws SQLException {
        database.refused("chargeonce_webhooks", "UPDATE webhook_delivery SET state = 'waiting', ended_at = NULL WHERE state = '%s'"
                .formatted(state));
    }

    @Test
    void a_person_still_sends_a_receipt_again() throws SQLException {
        database.execute("chargeonce_dlq_operator",
                "BEGIN; UPDATE receipt SET state = 'waiting', ended_at = NULL, fence = fence + 1 WHERE state = 'sent'; ROLLBACK");
    }
}
