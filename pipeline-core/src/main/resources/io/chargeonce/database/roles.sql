-- SPDX-License-Identifier: Apache-2.0
-- One role per service, each with what its statements need and no more, column by column. Run as the schema's owner, in one
-- transaction, as often as you like: it first revokes everything, so a right that is not below is gone. docs/roles.md shows the
-- result, and a test compares them. No role owns anything, so none can alter a table, drop an index or switch off a trigger. No role
-- may update or delete observations or audit records.

DO $$
DECLARE
    services text[] := ARRAY['chargeonce_ingest', 'chargeonce_charge', 'chargeonce_retry', 'chargeonce_dlq_reader',
                             'chargeonce_dlq_operator', 'chargeonce_dlq_unmask', 'chargeonce_eraser', 'chargeonce_merchant_admin',
                             'chargeonce_webhooks', 'chargeonce_receipts', 'chargeonce_reconciler', 'chargeonce_bank_files'];
    people text[] := ARRAY['chargeonce_dlq_reader', 'chargeonce_dlq_operator', 'chargeonce_dlq_unmask', 'chargeonce_eraser',
                           'chargeonce_merchant_admin'];
    service text;
    granted record;
BEGIN
    FOREACH service IN ARRAY services LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = service) THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', service);
        END IF;
        -- What hangs in the middle of a transaction must not hold its locks for ever.
        PERFORM bound_sessions(service, service = ANY (people));
        EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM %I CASCADE', current_database(), service);
    END LOOP;
    -- Default rights on future tables.
    FOR granted IN SELECT DISTINCT defaclnamespace <> 0 AS here, pg_get_userbyid(grantee) AS role, grantee = 0 AS to_all,
                          CASE defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' END AS kind
                     FROM pg_default_acl, aclexplode(defaclacl)
                    WHERE defaclrole = current_user::regrole AND defaclobjtype IN ('r', 'S', 'f')
                      AND (defaclnamespace = 'chargeonce'::regnamespace AND grantee = 0
                           OR defaclnamespace IN ('chargeonce'::regnamespace, 0) AND pg_get_userbyid(grantee) = ANY (services))
    LOOP
        EXECUTE format('ALTER DEFAULT PRIVILEGES %s REVOKE ALL ON %s FROM %s', CASE WHEN granted.here THEN 'IN SCHEMA chargeonce' END,
                       granted.kind, CASE WHEN granted.to_all THEN 'PUBLIC' ELSE quote_ident(granted.role) END);
    END LOOP;
    -- People have their role's rights and no others.
    FOREACH service IN ARRAY services || 'public'::text
                                 || ARRAY(SELECT DISTINCT quote_ident(login) FROM person JOIN pg_roles ON rolname = login) LOOP
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA chargeonce FROM %s CASCADE', service);
        EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA chargeonce FROM %s CASCADE', service);
        EXECUTE format('REVOKE ALL ON ALL ROUTINES IN SCHEMA chargeonce FROM %s CASCADE', service);
        EXECUTE format('REVOKE ALL ON SCHEMA chargeonce FROM %s CASCADE', service);
    END LOOP;
    FOREACH service IN ARRAY services LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA chargeonce TO %I', service);
    END LOOP;
END $$;

-- Accepts payments and refunds, and relays. It faces the internet: it can create an operation, but can neither say how it goes on nor
-- change one. For deletions and locks it calls functions, which check for themselves. It reads payments, tokens and purchases only through
-- functions, which require both the merchant and the payment.
GRANT SELECT (merchant_id, requests_per_second, duplicate_window_ms) ON merchant TO chargeonce_ingest;
GRANT EXECUTE ON FUNCTION tokens_were_used(bytea[]) TO chargeonce_ingest;
GRANT EXECUTE ON FUNCTION operation_of(text, text), refunds_of(text, text), payments_with_reference(text, text, timestamptz, text, int),
    keys_taken(text[], text[]), attempts_of(text, text), capture_failure_of(text, text), disputes_of(text, text), settled_among(text[]),
    merchants_of(bytea[]), take_purchases(text[], bytea[], text[]), first_purchases(text[], text[], bytea[]), forget_purchases(int) TO chargeonce_ingest;
-- A policy shows only rows that the same transaction has inserted. The role reads these to tell new keys from taken ones.
GRANT SELECT (merchant_id, idempotency_key, resource_id, created_at) ON idempotency_key TO chargeonce_ingest;
-- Not created_at: Postgres itself sets a row's age.
GRANT INSERT (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, request_params, resource_id)
    ON idempotency_key TO chargeonce_ingest;
GRANT INSERT (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, payment_method, customer,
    reference, description, receipt_email, initiator, traceparent, charge_within_s) ON operation TO chargeonce_ingest;
-- It stores tokens and never reads one.
GRANT EXECUTE ON FUNCTION store_payment_method(text, text, text, bytea, text[], text[], text[]), payment_methods_of(text[], text[]),
    payment_methods_of_customer(text, text), detach_payment_method(text, text) TO chargeonce_ingest;
GRANT EXECUTE ON FUNCTION forget_settled_payments(int, timestamptz), forget_dead_letter_runs(int),
    count_unfinished(interval), forget_presentations(int), forget_bank_files(int), lock_payment(text),
    take_back_keys(text[], text[]), cancel_payment(text, text) TO chargeonce_ingest;

-- The settings that all processes have in common.
GRANT SELECT ON agreed TO chargeonce_ingest, chargeonce_charge, chargeonce_retry, chargeonce_dlq_reader, chargeonce_dlq_operator,
    chargeonce_dlq_unmask;

-- The outbox: a policy of the table decides which role may stage on which topic. A relay deletes what it has published and sets aside what
-- the broker refuses; a record's content is never changed.
GRANT INSERT (shard, topic, record_key, value, headers) ON outbox
    TO chargeonce_ingest, chargeonce_charge, chargeonce_retry, chargeonce_dlq_operator;
GRANT INSERT (raw_key, raw_headers) ON outbox TO chargeonce_dlq_operator;
-- A policy asks it of what people stage.
GRANT EXECUTE ON FUNCTION a_request_says_what_was_accepted(text, bytea, json), a_copy_says_what_its_letter_says(text, bytea, json),
    a_record_goes_back_as_it_came(text, text, bytea, bytea, json)
    TO chargeonce_ingest, chargeonce_charge, chargeonce_retry, chargeonce_dlq_operator;
GRANT SELECT ON outbox, outbox_to_relay TO chargeonce_ingest, chargeonce_charge, chargeonce_retry;
-- People see what waits and what the broker refuses, and how large that is. What goes back to another system waits here in clear text.
GRANT SELECT (outbox_id, topic, record_key, staged_at, refusal) ON outbox
    TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT SELECT (outbox_id, bytes) ON outbox_to_relay TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT UPDATE (refusal), DELETE ON outbox TO chargeonce_ingest, chargeonce_charge, chargeonce_retry;
GRANT SELECT, INSERT (shard, mark), UPDATE (mark) ON relay_shard TO chargeonce_ingest, chargeonce_charge, chargeonce_retry;

-- Charge, and retry, which runs the same handler. No merchant's token, no change of what was accepted or sent, and no deletion but of what
-- the relay has published.
GRANT SELECT ON operation, operation_state, operation_now, payment_attempt, psp_observation, psp_answer, retry_budget, hand_settlement
    TO chargeonce_charge, chargeonce_retry;
-- All of a dead letter but the content of poison.
GRANT SELECT (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state, cause, message, generation, tier,
    charge_before, had_open_attempt, revision, died_at, changed_at) ON dead_letter TO chargeonce_charge, chargeonce_retry;
GRANT SELECT (merchant_id, represent_declines, decline_failover) ON merchant TO chargeonce_charge, chargeonce_retry;
-- Of an operation that they claim.
GRANT EXECUTE ON FUNCTION tokens_of(text[]) TO chargeonce_charge, chargeonce_retry;
-- Reversals and returns.
GRANT INSERT (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, payment_method, customer,
    reference, traceparent, charge_within_s) ON operation TO chargeonce_charge, chargeonce_retry;
GRANT UPDATE (capture_psp, capture_reference) ON operation_state TO chargeonce_charge, chargeonce_retry;
GRANT UPDATE (state, step, generation, counted_attempts, tier, sequence, psp, psp_reference, failure_cause, failure_message, not_before,
    charge_before, staged_at, swept, lease_token, resolve_at, resolve_tries, unresolved_since, settled_at, refused_by, awaited,
    represented, represent_at) ON operation_state TO chargeonce_charge, chargeonce_retry, chargeonce_dlq_operator;
-- A trigger lists what waits; these functions list what is late on the usual path.
GRANT SELECT ON waiting TO chargeonce_charge, chargeonce_retry;
GRANT EXECUTE ON FUNCTION list_late(text, interval, int), list_what_was_missed(interval, int)
    TO chargeonce_charge, chargeonce_retry;
GRANT INSERT (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state, request, request_sha256,
    sent_at, key_valid_until) ON payment_attempt TO chargeonce_charge, chargeonce_retry;
GRANT UPDATE (state, failed_definite, cause, message, psp_reference, not_found, decided_at, charged_at_once, sends) ON payment_attempt
    TO chargeonce_charge, chargeonce_retry;
GRANT EXECUTE ON FUNCTION knows_more(text, text) TO chargeonce_charge, chargeonce_retry;
GRANT INSERT (psp_key, source, outcome, cause, detail, psp_reference) ON psp_observation TO chargeonce_charge, chargeonce_retry;
GRANT INSERT (credential_sha256, amount, currency, day, presented), UPDATE (presented) ON retry_budget
    TO chargeonce_charge, chargeonce_retry;
-- The health of PSPs, reported between processes; reports of processes that ended long ago are deleted.
GRANT SELECT, INSERT, DELETE,
      UPDATE (good_at, bad_at, unwell_from, unwell_at, open, failed_in_a_row, failed_payments, asked_at, told_at, routes)
    ON psp_health TO chargeonce_charge, chargeonce_retry;
-- Ingest accepts no amount that no PSP of the routes can express.
GRANT SELECT (routes, told_at) ON psp_health TO chargeonce_ingest;

-- What people have paused and forced. Only the functions write it, for people with the operator's rights.
GRANT SELECT ON hold TO chargeonce_charge, chargeonce_retry, chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT EXECUTE ON FUNCTION put_hold(text, text, text, text, timestamptz, text, text), lift_hold(text, text, text, text, text)
    TO chargeonce_dlq_operator;
-- People change the outbox only so: what the broker refuses is offered again or dropped, and recorded.
GRANT EXECUTE ON FUNCTION clear_refusals(bigint[], text, text, text, text) TO chargeonce_dlq_operator;

-- Only charge: webhooks that were accepted. They are deleted (and locked for that) when they are older than a PSP repeats them.
GRANT SELECT, INSERT (psp, notice_id), UPDATE (received_at), DELETE ON psp_notice TO chargeonce_charge;
-- Webhooks that match no attempt wait for one.
GRANT SELECT, INSERT (psp, notice_id, psp_key, psp_reference, amount, currency, gives_back, outcome, cause, detail, dispute,
    happened_at), DELETE ON unmatched_notice TO chargeonce_charge;
-- Only webhooks report a capture that failed later.
GRANT SELECT, INSERT (operation_id, psp, psp_reference, reason, failed_at, told_at),
    UPDATE (psp_reference, reason, failed_at, recaptured_at, told_at) ON capture_failure TO chargeonce_charge;
-- So are disputes. Whatever settles a refund compares it with what they have taken.
GRANT INSERT (psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, funds_rank, refundable, answered,
    asked_at, answered_at, due_by, revision), UPDATE (amount, currency, reason, stage, stage_rank, final, funds, funds_rank, refundable,
    answered, asked_at, answered_at, due_by, revision, changed_at) ON dispute TO chargeonce_charge;
GRANT SELECT ON dispute TO chargeonce_charge, chargeonce_retry, chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
-- The resolver executes people's findings. It proposes none itself.
GRANT UPDATE (state, answer, answered_at) ON hand_settlement TO chargeonce_charge;

-- The queue: letters enter and leave it, and their amount never changes.
GRANT INSERT (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state, cause, message, generation, tier,
    charge_before, had_open_attempt, source_topic, source_partition, source_offset, sealed_record, target_topic) ON dead_letter
    TO chargeonce_charge, chargeonce_retry, chargeonce_dlq_operator;
GRANT UPDATE (state, cause, message, psp, generation, tier, charge_before, had_open_attempt, revision, died_at, changed_at) ON dead_letter
    TO chargeonce_charge, chargeonce_retry, chargeonce_dlq_operator;

-- Reads dead letters: list, summary, show, why, runs, audit. The role that reads unmasked data first records that in the audit log, which
-- is all that it may append.
GRANT SELECT ON operation, operation_state, operation_now, psp_observation, psp_answer, dead_letter, audit_record, dlq_run,
    dlq_run_item, tier_visit, hand_settlement, unmatched_notice, waiting, looked_through
    TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
-- All of an attempt but what was sent: the token is in it.
GRANT SELECT (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state, failed_definite,
    request_sha256, sends, sent_at, claimed_xid, key_valid_until, psp_reference, cause, message, decided_at, not_found, charged_at_once)
    ON payment_attempt TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT EXECUTE ON FUNCTION last_look(text), acceptances_from(looked_through, int), psps_awaited(operation_state)
    TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
-- A filter by a merchant or a PSP that does not exist is refused, and an idempotency key is looked for at each merchant.
GRANT SELECT (merchant_id) ON merchant TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
-- The console shows which PSPs are well.
GRANT SELECT (psp, process, good_at, bad_at, unwell_from, unwell_at, open, failed_in_a_row, told_at, tiers) ON psp_health
    TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;

-- Moves them, as far as a trigger of the operation allows. It can create neither an attempt nor an operation, nor set an attempt's outcome:
-- it proposes, and the resolver decides.
GRANT INSERT (psp_key, operation_id, step, verdict, psp_reference, evidence, run),
    UPDATE (step, verdict, psp_reference, evidence, run, state, answer, answered_at)
    ON hand_settlement TO chargeonce_dlq_operator;
GRANT UPDATE (sealed_edit) ON dead_letter TO chargeonce_dlq_operator;
-- Four eyes. The functions check for themselves; only the owner sets the limits.
GRANT SELECT ON four_eyes, approval TO chargeonce_dlq_reader, chargeonce_dlq_operator;
GRANT EXECUTE ON FUNCTION must_be_approved(text), run_holds(text, boolean), proposal(text)
    TO chargeonce_dlq_reader, chargeonce_dlq_operator;
-- The console says whether this person may approve another's run.
GRANT EXECUTE ON FUNCTION has_a_login_of_their_own(text) TO chargeonce_dlq_operator;
GRANT EXECUTE ON FUNCTION too_much_alone(text[], numeric[]), it_may_begin(text), permit_moves(text, int[]), moved_by_a_person(text, text),
    may_have_taken_money(text), attempts_may_be_lost(), approve(text, text, text), cancel_by_a_person(text) TO chargeonce_dlq_operator;
GRANT INSERT (run_id, reason, fingerprint, items, canary, rate, max_rate, abort_above_percent, even_capped, even_stopped, state, kind,
        even_unresolved, money),
    UPDATE (awaits_approval, state, verdict, leader, leader_token, led_at, judged_after, ended_at, rate, max_rate)
    ON dlq_run TO chargeonce_dlq_operator;
GRANT INSERT (run_id, position, dead_letter_id, generation, died_at, standing, amount, currency), UPDATE (fate, moved_at, outcome)
    ON dlq_run_item TO chargeonce_dlq_operator;

-- Erases, and reads nothing: the function itself reads, and records who did it and why.
GRANT EXECUTE ON FUNCTION erase_personal_data(text, text[], text, text, text, boolean) TO chargeonce_eraser;

-- Manages who may send payments. A token is created and revoked, and never changed.
GRANT SELECT ON merchant, merchant_token, token_use TO chargeonce_merchant_admin;
GRANT INSERT (merchant_id), UPDATE (requests_per_second, duplicate_window_ms, represent_declines, decline_failover, receipt_name,
    receipt_reply_to, receipt_locale) ON merchant TO chargeonce_merchant_admin;
GRANT INSERT (token_sha256, merchant_id, expires_at, lives, scopes, addresses), UPDATE (revoked_at, expires_at) ON merchant_token
    TO chargeonce_merchant_admin;

-- Who gets webhooks. The functions check for themselves: ingest manages the endpoints of the merchant whose token it passes on, and the
-- role for merchants those of all. An endpoint's secret is sealed before it comes here, and neither role reads it back.
GRANT EXECUTE ON FUNCTION add_webhook_endpoint(bytea, text, text, text, text[], bytea), rotate_webhook_secret(bytea, text, bytea, bigint),
    switch_webhook_endpoint(bytea, text, boolean), remove_webhook_endpoint(bytea, text), stage_test_webhook(bytea, text),
    redeliver_webhook(bytea, text), redeliver_webhooks(bytea, text, int, timestamptz, timestamptz),
    webhook_endpoints(bytea, text, text),
    webhook_deliveries(bytea, text, text, text, text, timestamptz, text, int) TO chargeonce_ingest, chargeonce_merchant_admin;
GRANT SELECT ON webhook_endpoint, webhook_delivery TO chargeonce_merchant_admin;
GRANT EXECUTE ON FUNCTION stage_missed_webhooks(text[]) TO chargeonce_merchant_admin;

-- Sends webhooks, to hosts that strangers choose. It reads no payment and inserts no delivery: it names operations to a function, which
-- reads their rows. Of a delivery it changes only how its tries went.
GRANT SELECT ON webhook_endpoint, webhook_secret, webhook_delivery TO chargeonce_webhooks;
GRANT UPDATE (state, attempts, fence, due_at, claimed_until, ended_at, last_status, last_error) ON webhook_delivery TO chargeonce_webhooks;
GRANT UPDATE (failing_since, failed_at) ON webhook_endpoint TO chargeonce_webhooks;
GRANT EXECUTE ON FUNCTION stage_webhooks(text[]), disable_failing_endpoints(interval), disable_gone_endpoints(text[]),
    end_failure_of_endpoints(text[]), end_webhooks_of_disabled(int), forget_webhooks(interval, int), merchants_reached(timestamptz) TO chargeonce_webhooks;
-- A payment's story names its deliveries, without what they say.
GRANT SELECT (webhook_id, endpoint_id, event_type, payment_id, state, attempts, due_at, created_at, ended_at, last_status, last_error)
    ON webhook_delivery TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT EXECUTE ON FUNCTION webhook_id_of(text, text), life_of(timestamptz) TO chargeonce_dlq_reader, chargeonce_dlq_operator,
    chargeonce_dlq_unmask;

-- Mails receipts. It reads a customer's address only through a function, one receipt at a time, and only while that receipt is claimed.
GRANT SELECT ON receipt TO chargeonce_receipts, chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT UPDATE (state, attempts, fence, due_at, claimed_until, ended_at, last_status, last_error) ON receipt TO chargeonce_receipts;
GRANT EXECUTE ON FUNCTION stage_receipts(text[]), receipt_to_send(text, bigint), forget_receipts(interval, int) TO chargeonce_receipts;
-- A person sends one again, or makes one that was lost.
GRANT UPDATE (state, attempts, fence, due_at, ended_at) ON receipt TO chargeonce_dlq_operator;
GRANT EXECUTE ON FUNCTION stage_missed_receipts(text[]) TO chargeonce_dlq_operator;

-- Compares the settlement reports of PSPs and banks with the rows. It adds lines through a function, and decides nothing: charge asks the
-- PSP about what a line says, or checks its mark. It reads no customer, no card and no request.
GRANT SELECT (operation_id, payment_id, kind, amount, currency) ON operation TO chargeonce_reconciler;
GRANT SELECT (psp_key, operation_id, payment_id, operation, psp, state, failed_definite, psp_reference, sent_at, decided_at)
    ON payment_attempt TO chargeonce_reconciler;
GRANT SELECT ON settlement_line TO chargeonce_reconciler;
-- What a bank has booked and returned, as bank-files read it.
GRANT SELECT (line_id, file_id, bank, kind, psp_key, amount, currency, credit, code, reference, happened_on, mark, state)
    ON bank_line TO chargeonce_reconciler;
GRANT SELECT (file_id, received_at) ON bank_file_in TO chargeonce_reconciler;
GRANT SELECT (bank) ON bank TO chargeonce_reconciler;
GRANT EXECUTE ON FUNCTION book_lines(text, bytea, text[], bigint[], text[], text[], bigint[], text[], text[], timestamptz[], bytea[]),
    look_at_lines(text, text[]), record_reconciliation(uuid, text, timestamptz, timestamptz, bigint, bytea, text[], text[], bigint[],
                                                       numeric[], numeric[]) TO chargeonce_reconciler;
-- Charge answers the lines that are due, and shows what the last comparison of each PSP found.
GRANT SELECT, UPDATE (due_at, tries, answer, answered_at) ON settlement_line TO chargeonce_charge;
GRANT SELECT ON reconciliation, reconciliation_finding TO chargeonce_charge, chargeonce_reconciler;
-- People look up what a report said, and what the comparison found.
GRANT SELECT ON settlement_line, reconciliation, reconciliation_finding
    TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
-- Bank files. Charge names an attempt, and a function collects it from its rows; charge takes what the bank's lines say, each once.
GRANT SELECT ON bank_batch_item, bank_batch, bank_line TO chargeonce_charge, chargeonce_retry;
GRANT UPDATE (state, note, taken_at) ON bank_line TO chargeonce_charge;
GRANT EXECUTE ON FUNCTION collect_for_bank(text), fence_for_bank(text), recall_for_bank(text), give_up_for_bank(text), returned_of(text, text)
    TO chargeonce_charge, chargeonce_retry;
-- Ingest asks about one merchant's mandate.
GRANT EXECUTE ON FUNCTION debits_by(text, text), returned_of(text, text) TO chargeonce_ingest;
-- Talks to banks. It reads no payment, collects nothing and takes no line: it seals what charge has collected, and records how the files
-- went and what came back. Of a debtor it reads what a mandate's sealed row says.
GRANT SELECT ON bank, bank_mandate, bank_batch, bank_batch_item, bank_file_part, bank_file_in, bank_line TO chargeonce_bank_files;
GRANT INSERT (bank, next_cutoff, answer_within_s), UPDATE (next_cutoff, answer_within_s, fence, mark, told_at) ON bank TO chargeonce_bank_files;
-- A file's items, states and answers it changes only through functions. They check the file's state, and for its steps to the bank the
-- submitter's number too.
GRANT UPDATE (tries, last_error, try_at) ON bank_batch TO chargeonce_bank_files;
GRANT INSERT (file, part, sealed) ON bank_file_part TO chargeonce_bank_files;
GRANT INSERT (file_id, bank, file_name, sha256, size, message, message_id, quarantined, whole), UPDATE (removed_at) ON bank_file_in
    TO chargeonce_bank_files;
GRANT INSERT (file_id, bank, kind, psp_key, amount, currency, credit, code, reference, happened_on, mark) ON bank_line
    TO chargeonce_bank_files;
GRANT USAGE ON SEQUENCE bank_file_number TO chargeonce_bank_files;
GRANT EXECUTE ON FUNCTION seal_bank_batch(text, bigint, text, text, timestamptz, date, text, timestamptz, int),
    set_aside_for_bank(text, bigint, text[], text[]), rendered_bank_batch(bigint, bigint, bytea, bigint),
    move_bank_batch(bigint, bigint, text), answer_bank_batch(bigint, text, timestamptz, text), was_read_again(bigint, text, text, text)
    TO chargeonce_bank_files;
-- People see the files, without what the mandates and the bytes hold. An operator changes none of these rows: functions have the same bytes
-- sent once more, and close or release what is set aside, each with a reason and on record.
GRANT SELECT ON bank, bank_batch, bank_batch_item, bank_file_in, bank_line
    TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT EXECUTE ON FUNCTION resend_bank_batch(bigint, text, text), decide_unmatched(text, bigint, text, text, text)
    TO chargeonce_dlq_operator;
-- Who manages merchants adds and revokes their mandates, and never reads a debtor back.
GRANT SELECT (mandate_id, merchant_id, bank, signed_on, created_at, revoked_at),
    INSERT (mandate_id, merchant_id, bank, signed_on, sealed_debtor) ON bank_mandate TO chargeonce_merchant_admin;
GRANT EXECUTE ON FUNCTION revoke_mandate(text) TO chargeonce_merchant_admin;

-- No role inserts into the audit log: this function appends what its caller's role may write.
GRANT EXECUTE ON FUNCTION append_audit(text[], text[], text[], text[], text[], text[], text[], text[])
    TO chargeonce_ingest, chargeonce_charge, chargeonce_retry, chargeonce_dlq_operator, chargeonce_dlq_unmask, chargeonce_merchant_admin,
    chargeonce_bank_files;
-- Charge seals it, and never changes a seal. The sequence shows which ids were given out. It creates tables for the next records, and drops
-- the sealed old ones.
GRANT EXECUTE ON FUNCTION seals_alone(), audit_table_end(bigint), make_audit_room(), forget_audit_records(interval, bigint, bigint)
    TO chargeonce_charge;
GRANT SELECT ON audit_record, audit_record_audit_id_seq TO chargeonce_charge;
GRANT SELECT, INSERT ON audit_seal TO chargeonce_charge;
-- It reads the catalog, and shows differences from the intended rights in a gauge.
GRANT EXECUTE ON FUNCTION drifted_grants() TO chargeonce_charge;
GRANT SELECT ON audit_seal, audit_record_audit_id_seq TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
GRANT EXECUTE ON FUNCTION audit_detail(json, text) TO chargeonce_dlq_reader, chargeonce_dlq_operator, chargeonce_dlq_unmask;
