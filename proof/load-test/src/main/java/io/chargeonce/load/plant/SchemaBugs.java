// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import java.util.Optional;

/** The bugs that are in the schema. */
final class SchemaBugs {

    private SchemaBugs() {}

    /** What the database gets to hear of it. */
    static Optional<String> sql(Plant plant) {
        return switch (plant) {
            case UNIQUE_INDEX_DROPPED -> Optional.of("DROP INDEX chargeonce.one_open_attempt");
            case DEBIT_IN_TWO_FILES -> Optional.of("DROP TRIGGER an_item_is_in_one_file ON chargeonce.bank_batch_item;"
                    + changed("seal_bank_batch(text, bigint, text, text, timestamptz, date, text, timestamptz, int)",
                            "AND batch_id IS NULL AND NOT fenced", """
                                    AND NOT fenced AND (batch_id IS NULL OR psp_key NOT IN (SELECT said.psp_key FROM bank_line AS said)
                                        AND until - interval '900 milliseconds' > (SELECT sealed_at FROM bank_batch AS its
                                                                                    WHERE its.batch_id = bank_batch_item.batch_id))
                                    """));
            case CANCEL_LEAVES_THE_RECORD -> Optional.of(changed("cancel_charge(text)",
                    "SET state = 'canceled', step = its.step + 1, swept = 0,", "SET"));
            case RETENTION_FROM_ACCEPTANCE -> Optional.of(changed("forget_settled_payments(int, timestamptz)",
                    "at_rest_since(operation_id) < until", "at_rest_since(operation_id) < 'infinity' AND accepted_at < until"));
            case FILE_RENDERED_TWICE -> Optional.of("""
                    DROP TRIGGER a_file_is_rendered_once ON chargeonce.bank_batch;
                    DROP TRIGGER what_is_sealed_never_changes ON chargeonce.bank_batch;
                    DROP TRIGGER bytes_are_only_erased ON chargeonce.bank_file_part;
                    """ + changed("resend_bank_batch(bigint, text, text)", "RETURN true;", """
                            DELETE FROM bank_file_part WHERE file = (SELECT 'out/' || message_id FROM bank_batch WHERE batch_id = id);
                            UPDATE bank_batch SET state = 'sealed', sha256 = NULL, size = NULL, sealed_at = sealed_at + interval '1 second'
                             WHERE batch_id = id;
                            RETURN true;"""));
            case TRIGGER_DROPPED -> Optional.of("DROP TRIGGER what_succeeded_stays_as_it_is ON chargeonce.operation_state");
            case WEBHOOK_OF_A_DECLINE -> Optional.of(changed("stage_webhooks(text[])", "'status', status",
                    "'status', CASE status WHEN 'declined' THEN 'succeeded' ELSE status END"));
            case WEBHOOK_DELIVERED_FOR_GOOD -> Optional.of(changed("redeliver_webhook(bytea, text)", "WHERE webhook_id = webhook;",
                    "WHERE webhook_id = webhook AND state <> 'delivered';"));
            case ERASURE_LEAVES_A_TEXT -> Optional.of(changed("erase_personal_data(text, text[], text, text, text, boolean)",
                    "description = CASE WHEN description IS NOT NULL THEN gone END,", ""));
            default -> Optional.empty();
        };
    }

    /** A function of the schema with another text in place of one of its own. */
    private static String changed(String function, String own, String other) {
        return """
                DO $plant$
                DECLARE
                    sound text := pg_get_functiondef('chargeonce.%s'::regprocedure);
                    planted text := replace(sound, $own$%s$own$, $other$%s$other$);
                BEGIN
                    IF planted = sound THEN
                        RAISE EXCEPTION 'Bug! The planted one does not fit %s any more';
                    END IF;
                    EXECUTE planted;
                END
                $plant$
                """.formatted(function, own, other, function);
    }
}
