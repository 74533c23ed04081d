-- SPDX-License-Identifier: Apache-2.0
-- The audit log: its tables, its only way in, its seals and its end.

-- The last id of the table for a record: at 500 payments per second each table covers a day.
CREATE OR REPLACE FUNCTION audit_table_end(id bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT (id / 100000000 + 1) * 100000000 - 1 $$;

-- The last ids of the existing tables.
CREATE OR REPLACE FUNCTION audit_tables() RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT substring(relname FROM '^audit_record_to_([0-9]+)$')::bigint
      FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'chargeonce.audit_record'::regclass
$$;

-- Creates the table for the next million records and the one after it, if they are missing: an empty table is attached without a lock that
-- any append waits for. While there is room, it waits for no lock itself.
CREATE OR REPLACE FUNCTION make_audit_room() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    this bigint := audit_table_end(coalesce(pg_sequence_last_value('audit_record_audit_id_seq'), 0) + 1000000);
    up_to bigint;
BEGIN
    IF to_regclass('chargeonce.audit_record_to_' || audit_table_end(this + 1)) IS NOT NULL THEN
        RETURN;
    END IF;
    IF to_regclass('chargeonce.audit_record_to_' || this) IS NULL THEN
        LOCK TABLE ONLY audit_record IN SHARE UPDATE EXCLUSIVE MODE;
    ELSE
        LOCK TABLE ONLY audit_record IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
    END IF;
    FOREACH up_to IN ARRAY ARRAY[this, audit_table_end(this + 1)] LOOP
        CONTINUE WHEN to_regclass('chargeonce.audit_record_to_' || up_to) IS NOT NULL;
        -- Rows are only inserted: the table is vacuumed a part at a time and frozen at once, so it is never read again because of its
        -- transactions' age.
        EXECUTE format('CREATE TABLE audit_record_to_%s (LIKE audit_record INCLUDING CONSTRAINTS) '
                       'WITH (autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 1000000, autovacuum_freeze_min_age = 0)', up_to);
        EXECUTE format('ALTER TABLE audit_record ATTACH PARTITION audit_record_to_%s FOR VALUES FROM (%s) TO (%s)', up_to,
                       coalesce((SELECT max(audit_tables) + 1 FROM audit_tables())::text, 'MINVALUE'), up_to + 1);
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    RETURN;
END $$;

-- Actions of people. Such a record has the login of its session, and nothing that the session claims.
CREATE OR REPLACE FUNCTION is_a_persons(action text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT (action LIKE 'dlq.%' OR action LIKE 'merchant.%' OR action LIKE 'token.%' OR action LIKE 'person.%'
            OR action LIKE 'four_eyes.%' OR action LIKE 'personal_data.%' OR action LIKE 'webhook.%')
           -- The result of a person's finding is written by the resolver.
           AND action NOT IN ('dlq.settlement_settled', 'dlq.settlement_confirmed', 'dlq.settlement_refused')
$$;

-- Each action has one writer: merchants' requests belong to ingest, merchants and tokens to their admin, dlq.* to people on call,
-- webhook_endpoint.* to the service that sends webhooks, bank.* to the one that talks to banks, mandate.lapsed to ingest's reaper, the rest
-- to charge and retry. webhook.* has two: the admin, and ingest for a merchant that changes its own endpoints. A service has one name. A
-- person gives none.
CREATE OR REPLACE FUNCTION may_append_audit(ingest boolean, charge boolean, on_call boolean, admin boolean, unmask boolean, eraser boolean,
                                            webhooks boolean, banks boolean, merchant text, actor text, action text)
    RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN action LIKE 'payment.%' OR action LIKE 'payment_method.%' OR action LIKE 'refund.%' OR ingest AND action LIKE 'webhook.%'
            THEN ingest AND actor = 'merchant:' || merchant
        WHEN action LIKE 'dead_letter.%' THEN (charge OR on_call) AND actor = 'dead-letter-queue'
        WHEN action LIKE 'webhook_endpoint.%' THEN webhooks AND actor = 'webhook-sender'
        WHEN action LIKE 'bank.%' THEN banks AND actor = 'bank-files'
        WHEN action = 'mandate.lapsed' THEN ingest AND actor = 'reaper'
        WHEN chargeonce.is_a_persons(action)
            THEN CASE WHEN action = 'dlq.unmasked' THEN unmask WHEN action LIKE 'dlq.%' THEN on_call
                      WHEN action LIKE 'personal_data.%' THEN eraser WHEN action LIKE 'person.%' OR action LIKE 'four_eyes.%' THEN false
                      ELSE admin END AND actor IS NULL
        ELSE charge AND actor = 'charge-consumer' END
$$;

-- The only way into the audit log. Time, id and role are set here. If a session appends a record that its role may not write, its
-- transaction is refused. In this function current_user is the schema's owner: for the owner's role and superusers the given actor is
-- accepted. Returns how many records were appended.
CREATE OR REPLACE FUNCTION append_audit(merchants text[], actors text[], actions text[], types text[], resources text[], reasons text[],
                                        details text[], origins text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owns boolean := pg_has_role(session_user, current_user, 'USAGE');
    ingest boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_ingest', 'USAGE');
    charge boolean := NOT owns AND (pg_has_role(session_user, 'chargeonce_charge', 'USAGE')
                                     OR pg_has_role(session_user, 'chargeonce_retry', 'USAGE'));
    on_call boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_dlq_operator', 'USAGE');
    admin boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_merchant_admin', 'USAGE');
    unmask boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_dlq_unmask', 'USAGE');
    eraser boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_eraser', 'USAGE');
    webhooks boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_webhooks', 'USAGE');
    banks boolean := NOT owns AND pg_has_role(session_user, 'chargeonce_bank_files', 'USAGE');
    appended int;
    refused text;
BEGIN
    -- Charge normally creates tables long before. If it could not for days, this call does: no append ever fails for lack of a table.
    IF to_regclass('chargeonce.audit_record_to_'
                   || audit_table_end(coalesce(pg_sequence_last_value('audit_record_audit_id_seq'), 0) + 10000000)) IS NULL THEN
        PERFORM make_audit_room();
    END IF;
    INSERT INTO audit_record (at, session_role, merchant_id, actor, action, resource_type, resource_id, reason, data, origin)
    SELECT clock_timestamp(), session_user, entry.merchant,
           CASE WHEN NOT (ingest OR charge OR webhooks OR banks) AND is_a_persons(entry.action) THEN session_user ELSE entry.actor END,
           entry.action, entry.type, entry.resource, entry.reason, entry.detail::json, entry.origin
      FROM unnest(merchants, actors, actions, types, resources, reasons, details, origins)
        AS entry (merchant, actor, action, type, resource, reason, detail, origin)
     WHERE owns
        OR may_append_audit(ingest, charge, on_call, admin, unmask, eraser, webhooks, banks, entry.merchant, entry.actor, entry.action);
    GET DIAGNOSTICS appended = ROW_COUNT;
    IF appended < cardinality(actions) THEN
        SELECT format('%L as %L', entry.action, entry.actor) INTO refused
          FROM unnest(merchants, actors, actions) AS entry (merchant, actor, action)
         WHERE may_append_audit(ingest, charge, on_call, admin, unmask, eraser, webhooks, banks, entry.merchant, entry.actor, entry.action)
               IS NOT TRUE
         LIMIT 1;
        RAISE insufficient_privilege
              USING MESSAGE = format('permission denied: %s may not append %s to the audit log', session_user, refused);
    END IF;
    RETURN appended;
END $$;

-- A field of a record's data, or NULL. The json type accepts escapes that text cannot hold, and reading any field of such a value fails:
-- one odd record must not keep people from reading the others.
CREATE OR REPLACE FUNCTION audit_detail(data json, field text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN data::text !~ '\\u(0000|[dD][89a-fA-F])' THEN data ->> field END
$$;

-- Whether no other process seals before this transaction ends. Only the owner and who may seal can hold a lock that this one waits for.
CREATE OR REPLACE FUNCTION seals_alone() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    LOCK TABLE audit_seal IN SHARE ROW EXCLUSIVE MODE NOWAIT;
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;

-- Drops the oldest table of the audit log, if that seal, which reaches to that id, is old enough and covers the whole table. Returns the
-- last dropped id, or NULL. The caller makes the seal that says so in the same transaction: records that are missing without one are
-- detected. It delays an append no longer than a migration does. It first locks the table itself, which no append needs.
CREATE OR REPLACE FUNCTION forget_audit_records(kept interval, sealed bigint, sealed_to bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    -- Far longer than a purge can be undone. In hours, because a day in spring has 23.
    until timestamptz := cutoff(kept, interval '2160 hours');
    oldest bigint := (SELECT min(audit_tables) FROM audit_tables());
BEGIN
    IF EXISTS (SELECT FROM audit_seal WHERE seal = sealed AND to_id = sealed_to AND sealed_at < until) AND sealed_to >= oldest THEN
        EXECUTE format('LOCK TABLE audit_record_to_%s', oldest);
        EXECUTE format('DROP TABLE audit_record_to_%s', oldest);
        RETURN oldest;
    END IF;
    RETURN NULL;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $$;

-- A new database has its first tables before its first record.
SELECT make_audit_room();
