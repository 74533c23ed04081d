-- SPDX-License-Identifier: Apache-2.0
-- What people on call pause, force, resume and clear.

-- Pauses or forces for the session's login, in place of what held it before.
CREATE OR REPLACE FUNCTION put_hold(of_kind text, of_name text, what text, why text, ends timestamptz, run text, claim text) RETURNS hold
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    is_known boolean;
    before hold;
    made hold;
BEGIN
    -- One after the other, so that the audit log tells what each one replaced.
    LOCK TABLE hold IN SHARE ROW EXCLUSIVE MODE;
    IF ends <= moment THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a hold cannot end in the past';
    END IF;
    is_known := CASE of_kind
        WHEN 'psp' THEN EXISTS (SELECT FROM psp_health WHERE psp = of_name) OR EXISTS (SELECT FROM dead_letter WHERE psp = of_name)
                        OR EXISTS (SELECT FROM waiting JOIN operation_state AS its USING (operation_id)
                                    WHERE of_name = ANY (psps_awaited(its)))
                        OR EXISTS (SELECT FROM hold WHERE kind = 'psp' AND name = of_name)
        WHEN 'merchant' THEN EXISTS (SELECT FROM merchant WHERE merchant_id = of_name)
                             OR EXISTS (SELECT FROM idempotency_key WHERE merchant_id = of_name)
        WHEN 'tier' THEN of_name ~ '^[1-9]$'
        ELSE false END;
    IF NOT is_known THEN
        RAISE invalid_parameter_value USING MESSAGE = format('there is no %s %L', of_kind, of_name);
    END IF;
    DELETE FROM hold WHERE until <= moment;
    SELECT * INTO before FROM hold WHERE kind = of_kind AND name = of_name;
    INSERT INTO hold (kind, name, action, reason, held_by, since, until)
    VALUES (of_kind, of_name, what, why, session_user, moment, ends)
    ON CONFLICT (kind, name) DO UPDATE
       SET action = excluded.action, reason = excluded.reason, held_by = excluded.held_by, since = excluded.since, until = excluded.until
    RETURNING * INTO made;
    PERFORM append_audit(ARRAY[CASE of_kind WHEN 'merchant' THEN of_name END], NULL,
                         ARRAY[CASE what WHEN 'force' THEN 'dlq.forced' ELSE 'dlq.paused' END], ARRAY['hold'],
                         ARRAY[of_kind || '/' || of_name], ARRAY[why],
                         ARRAY[json_build_object('run', run, 'until', ends, 'instead_of', before.action, 'of', before.held_by)::text],
                         ARRAY[claim]);
    RETURN made;
END $$;

-- Ends a hold before its time. No row if nothing held it.
CREATE OR REPLACE FUNCTION lift_hold(of_kind text, of_name text, why text, run text, claim text) RETURNS SETOF hold
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    lifted hold;
BEGIN
    LOCK TABLE hold IN SHARE ROW EXCLUSIVE MODE;
    DELETE FROM hold WHERE until <= clock_timestamp();
    DELETE FROM hold WHERE kind = of_kind AND name = of_name RETURNING * INTO lifted;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF btrim(coalesce(why, '')) = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a hold is lifted for a reason';
    END IF;
    PERFORM append_audit(ARRAY[CASE of_kind WHEN 'merchant' THEN of_name END], NULL, ARRAY['dlq.resumed'], ARRAY['hold'],
                         ARRAY[of_kind || '/' || of_name], ARRAY[why],
                         ARRAY[json_build_object('run', run, 'action', lifted.action, 'of', lifted.held_by, 'since', lifted.since)::text],
                         ARRAY[claim]);
    RETURN NEXT lifted;
END $$;

-- Clears records that the broker refuses, for the session's login: 'retry' has the relay offer them at once, 'drop' deletes them. It acts
-- only on what is still refused, so no record that is on its way is ever lost by it. A row that a relay holds right now is left to it. Each
-- one is in the audit log: a dropped one with its hash, not with its content, which may be personal; a first request, which is in its
-- operation's row, has none. Returns how many were cleared.
CREATE OR REPLACE FUNCTION clear_refusals(ids bigint[], what text, why text, run text, claim text) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    held bigint[];
BEGIN
    IF what IS NULL OR what NOT IN ('retry', 'drop') THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a refused record is retried or dropped';
    END IF;
    IF what = 'drop' AND btrim(coalesce(why, '')) = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a record is dropped for a reason';
    END IF;
    held := ARRAY(SELECT outbox_id FROM outbox WHERE outbox_id = ANY (ids) AND refusal IS NOT NULL
                   ORDER BY outbox_id FOR UPDATE SKIP LOCKED);
    -- A missing seal would hide that the log was rewritten.
    IF what = 'drop' AND EXISTS (SELECT FROM outbox WHERE outbox_id = ANY (held) AND right(topic, 12) = '.audit-seals') THEN
        RAISE restrict_violation USING MESSAGE = 'a seal of the audit log is never dropped';
    END IF;
    PERFORM append_audit(array_agg(merchant_id ORDER BY outbox_id), array_agg(NULL::text),
                         array_agg(CASE what WHEN 'drop' THEN 'dlq.record.dropped' ELSE 'dlq.record.retried' END), array_agg('outbox'::text),
                         array_agg(record_key ORDER BY outbox_id), array_agg(why),
                         array_agg(json_build_object('run', run, 'topic', topic, 'refusal', refusal, 'staged_at', staged_at,
                                                     'bytes', length(value), 'sha256', encode(sha256(value), 'hex'))::text ORDER BY outbox_id),
                         array_agg(claim))
       FROM outbox LEFT JOIN operation ON operation_id = record_key WHERE outbox_id = ANY (held) HAVING count(*) > 0;
    IF what = 'drop' THEN
        DELETE FROM outbox WHERE outbox_id = ANY (held);
    ELSE
        UPDATE outbox SET refusal = NULL WHERE outbox_id = ANY (held);
    END IF;
    RETURN cardinality(held);
END $$;
