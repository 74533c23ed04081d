-- SPDX-License-Identifier: Apache-2.0
-- Webhooks to merchants: docs/webhooks.md.

CREATE OR REPLACE FUNCTION webhook_id_of(endpoint text, event text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'msg_' || left(encode(sha256(convert_to(endpoint || ' ' || event, 'UTF8')), 'hex'), 32)
$$;

CREATE OR REPLACE FUNCTION webhook_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Inserts the deliveries for these operations, as far as they have ended. The caller only names operations: what a webhook says comes from
-- their rows, so no record of Kafka can invent an outcome or an amount. A repeat inserts nothing. A disabled endpoint gets dead deliveries,
-- which can be redelivered, and a removed one none. Returns how many were inserted.
CREATE OR REPLACE FUNCTION stage_webhooks(operations text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    inserted int;
BEGIN
    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body, state, ended_at, last_error)
    SELECT webhook_id_of(endpoint_id, operation_id || '/' || life_of(accepted_at) || '/' || status), endpoint_id, event, payment_id,
           json_build_object('type', event, 'timestamp', webhook_time(at), 'data', json_strip_nulls(json_build_object(
               'payment_id', payment_id, 'id', operation_id, 'kind', kind, 'status', status, 'amount', amount, 'currency', currency,
               'decline_code', CASE WHEN status = 'declined' THEN failure_cause END, 'revision', revision)))::text,
           CASE WHEN disabled_by IS NULL THEN 'waiting' ELSE 'dead' END, CASE WHEN disabled_by IS NOT NULL THEN now() END,
           CASE WHEN disabled_by IS NOT NULL THEN 'endpoint_disabled' END
      FROM operation_now
     CROSS JOIN LATERAL (SELECT state, settled_at, step
                          UNION ALL
                         -- Of what failed after its success the success is told too, or a receiver's sum is wrong; not if its webhook
                         -- may have been sent and forgotten.
                         SELECT 'succeeded', decided_at, step - 1
                           FROM attempt_of_payment AS attempt
                          WHERE operation_now.state = 'failed' AND attempt.payment_id = operation_now.payment_id
                            AND attempt.operation_id = operation_now.operation_id AND attempt.state = 'succeeded'
                            AND decided_at > now() - interval '480 hours') AS ended (status, at, revision)
     CROSS JOIN LATERAL (SELECT CASE kind WHEN 'charge' THEN 'payment' ELSE kind END || '.' || status) AS named (event)
      JOIN webhook_endpoint AS endpoint USING (merchant_id)
     WHERE operation_id = ANY (operations) AND status IN ('succeeded', 'failed', 'declined', 'purged', 'canceled')
       AND at >= endpoint.created_at AND disabled_by IS DISTINCT FROM 'removed' AND events && ARRAY['*', event]
     ORDER BY 1
    ON CONFLICT (webhook_id) DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    RETURN inserted + stage_webhooks_of_disputes(operations);
END $$;

-- The same for disputes, each named by its PSP, a slash and the PSP's id: how each stands now. No operation has a slash in its id.
CREATE OR REPLACE FUNCTION stage_webhooks_of_disputes(disputes text[]) RETURNS int
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    inserted int;
BEGIN
    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body, state, ended_at, last_error)
    SELECT webhook_id_of(endpoint_id, format('%s/%s/%s/%s', psp, its.reference, life_of(accepted_at), revision)), endpoint_id, event,
           its.payment_id, json_build_object('type', event, 'timestamp', webhook_time(changed_at), 'data', json_strip_nulls(json_build_object(
               'payment_id', its.payment_id, 'id', its.reference, 'kind', 'dispute', 'status', stage, 'amount', its.amount,
               'currency', its.currency, 'funds', funds,
               'due_by', CASE WHEN NOT final AND NOT answered THEN webhook_time(due_by) END, 'revision', revision)))::text,
           CASE WHEN disabled_by IS NULL THEN 'waiting' ELSE 'dead' END, CASE WHEN disabled_by IS NOT NULL THEN now() END,
           CASE WHEN disabled_by IS NOT NULL THEN 'endpoint_disabled' END
      FROM dispute AS its JOIN operation ON operation_id = its.payment_id
     CROSS JOIN LATERAL (SELECT 'dispute.' || stage) AS named (event)
      JOIN webhook_endpoint AS endpoint USING (merchant_id)
     WHERE (psp, its.reference) IN (SELECT split_part(id, '/', 1), substr(id, strpos(id, '/') + 1)
                                      FROM unnest(disputes) AS id WHERE strpos(id, '/') > 0)
       AND changed_at >= endpoint.created_at AND disabled_by IS DISTINCT FROM 'removed' AND events && ARRAY['*', event]
     ORDER BY 1
    ON CONFLICT (webhook_id) DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    RETURN inserted;
END $$;

-- For a person, when Kafka has lost outcomes: the deliveries that these payments, their refunds and disputes lack. Returns how many there
-- were.
CREATE OR REPLACE FUNCTION stage_missed_webhooks(payments text[]) RETURNS int
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT stage_webhooks(ARRAY(SELECT operation_id FROM operation WHERE payment_id = ANY (payments)
                                 UNION ALL SELECT psp || '/' || reference FROM dispute WHERE payment_id = ANY (payments)))
$$;

-- Whose endpoints the caller may manage. With a merchant's token, which must be valid now and allow it: this merchant's. Without one: any
-- merchant's, which is NULL, and only for the role for merchants. So the role that faces the internet manages nothing that no merchant has
-- asked for.
CREATE OR REPLACE FUNCTION webhook_owner(token bytea, needs text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text;
BEGIN
    IF token IS NULL AND pg_has_role(session_user, current_user, 'USAGE') THEN
        RETURN NULL;
    ELSIF token IS NULL AND pg_has_role(session_user, 'chargeonce_merchant_admin', 'USAGE') THEN
        RETURN NULL;
    END IF;
    SELECT merchant_id INTO owner FROM merchant_token
     WHERE token_sha256 = token AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()) AND needs = ANY (scopes);
    IF owner IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('permission denied: this token does not allow %s', needs);
    END IF;
    RETURN owner;
END $$;

CREATE OR REPLACE FUNCTION host_of(url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT rtrim(lower(substring(url FROM '^https?://(\[[^]]*\]|[^/:?#]*)')), '.')
$$;

-- Adds an endpoint, up to 20 of a merchant. A merchant cannot add one at a host at which a person has disabled one of its endpoints.
-- Returns 'done', 'no_merchant', 'held' or 'too_many'.
CREATE OR REPLACE FUNCTION add_webhook_endpoint(token bytea, of_merchant text, endpoint text, address text, wanted text[], secret bytea)
    RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := coalesce(webhook_owner(token, 'webhooks'), of_merchant);
BEGIN
    -- Two additions at once must not both see room for one.
    PERFORM FROM merchant WHERE merchant_id = owner FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'no_merchant';
    END IF;
    IF webhook_owner(token, 'webhooks') IS NOT NULL AND EXISTS (
           SELECT FROM webhook_endpoint WHERE merchant_id = owner AND disabled_by = 'person' AND host_of(url) = host_of(address)) THEN
        RETURN 'held';
    END IF;
    IF (SELECT count(*) FROM webhook_endpoint WHERE merchant_id = owner AND disabled_by IS DISTINCT FROM 'removed') >= 20 THEN
        RETURN 'too_many';
    END IF;
    INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events) VALUES (endpoint, owner, address, wanted);
    INSERT INTO webhook_secret (endpoint_id, sealed_secret) VALUES (endpoint, secret);
    RETURN 'done';
END $$;

-- Adds a secret and ends the earlier ones after the overlap. Every request is signed with each that is valid, so there are at most 5.
-- Returns 'done', 'no_endpoint' or 'too_many'.
CREATE OR REPLACE FUNCTION rotate_webhook_secret(token bytea, endpoint text, secret bytea, overlap_ms bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
BEGIN
    -- Two rotations at once must see each other's secret, or one of them would never expire.
    PERFORM FROM webhook_endpoint
      WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS DISTINCT FROM 'removed'
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'no_endpoint';
    END IF;
    UPDATE webhook_secret SET expires_at = least(expires_at, clock_timestamp() + overlap_ms * interval '1 millisecond')
     WHERE endpoint_id = endpoint AND (overlap_ms = 0 OR (SELECT count(*) FROM webhook_secret AS valid
                                                           WHERE valid.endpoint_id = endpoint
                                                             AND (expires_at IS NULL OR expires_at > clock_timestamp())) < 5);
    IF NOT FOUND THEN
        RETURN 'too_many';
    END IF;
    DELETE FROM webhook_secret WHERE endpoint_id = endpoint AND expires_at <= clock_timestamp();
    INSERT INTO webhook_secret (endpoint_id, sealed_secret) VALUES (endpoint, secret);
    RETURN 'done';
END $$;

-- Enables or disables an endpoint. A merchant cannot enable what a person with the role for merchants has disabled. Returns 'done',
-- 'unchanged', 'no_endpoint' or 'held'.
CREATE OR REPLACE FUNCTION switch_webhook_endpoint(token bytea, endpoint text, to_enabled boolean) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
    whom text := CASE WHEN owner IS NULL THEN 'person' ELSE 'merchant' END;
    present webhook_endpoint;
BEGIN
    SELECT * INTO present FROM webhook_endpoint
     WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS DISTINCT FROM 'removed'
       FOR NO KEY UPDATE;
    IF present.endpoint_id IS NULL THEN
        RETURN 'no_endpoint';
    ELSIF to_enabled AND present.disabled_by IS NULL OR NOT to_enabled AND present.disabled_by IN ('person', whom) THEN
        RETURN 'unchanged';
    ELSIF to_enabled AND present.disabled_by = 'person' AND owner IS NOT NULL THEN
        RETURN 'held';
    END IF;
    UPDATE webhook_endpoint
       SET disabled_by = CASE WHEN NOT to_enabled THEN whom END, disabled_at = CASE WHEN NOT to_enabled THEN now() END,
           failing_since = CASE WHEN NOT to_enabled THEN failing_since END, failed_at = CASE WHEN NOT to_enabled THEN failed_at END
     WHERE endpoint_id = endpoint;
    RETURN 'done';
END $$;

-- Removes an endpoint: it gets nothing more, and its secrets are deleted. Its deliveries stay until they are forgotten. A merchant cannot
-- remove what a person has disabled, because it could then add it again. Returns 'done', 'no_endpoint' or 'held'.
CREATE OR REPLACE FUNCTION remove_webhook_endpoint(token bytea, endpoint text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
BEGIN
    UPDATE webhook_endpoint SET disabled_by = 'removed', disabled_at = now()
     WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS DISTINCT FROM 'removed'
       AND (owner IS NULL OR disabled_by IS DISTINCT FROM 'person');
    IF NOT FOUND THEN
        RETURN CASE WHEN EXISTS (SELECT FROM webhook_endpoint WHERE endpoint_id = endpoint AND merchant_id = owner
                                    AND disabled_by = 'person') THEN 'held' ELSE 'no_endpoint' END;
    END IF;
    DELETE FROM webhook_secret WHERE endpoint_id = endpoint;
    RETURN 'done';
END $$;

-- Counts a test or a redelivery that was asked for. An address may be a stranger's, so there are at most 10 of both in a minute, and 30 of
-- all endpoints of a merchant, removed ones too. Returns whether it may be sent.
CREATE OR REPLACE FUNCTION may_ask_of_endpoint(endpoint text) RETURNS boolean
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    UPDATE webhook_endpoint SET asked = CASE WHEN asked_from > now() - interval '1 minute' THEN asked + 1 ELSE 1 END,
           asked_from = CASE WHEN asked_from > now() - interval '1 minute' THEN asked_from ELSE now() END
     WHERE endpoint_id = endpoint AND (asked < 10 OR asked_from <= now() - interval '1 minute')
       AND (SELECT coalesce(sum(asked), 0) FROM webhook_endpoint AS each
             WHERE each.merchant_id = webhook_endpoint.merchant_id AND asked_from > now() - interval '1 minute') < 30;
    RETURN FOUND;
END $$;

-- Stages an event that is about no payment. Returns the delivery's id, 'too_many', or NULL if no enabled endpoint has this id.
CREATE OR REPLACE FUNCTION stage_test_webhook(token bytea, endpoint text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
    id text := webhook_id_of(endpoint, 'test/' || gen_random_uuid());
BEGIN
    PERFORM FROM webhook_endpoint WHERE endpoint_id = endpoint AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF NOT may_ask_of_endpoint(endpoint) THEN
        RETURN 'too_many';
    END IF;
    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body)
    VALUES (id, endpoint, 'endpoint.test',
            json_build_object('type', 'endpoint.test', 'timestamp', webhook_time(now()), 'data', json_build_object('endpoint', endpoint)));
    RETURN id;
END $$;

-- Begins a delivery again under its id, also a delivered one. A disabled endpoint gets nothing. Only a merchant's are counted. Returns
-- 'done', 'no_endpoint' or 'too_many'.
CREATE OR REPLACE FUNCTION redeliver_webhook(token bytea, webhook text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
    its_endpoint text := (SELECT endpoint_id FROM webhook_delivery JOIN webhook_endpoint AS endpoint USING (endpoint_id)
                           WHERE webhook_id = webhook AND merchant_id = coalesce(owner, merchant_id) AND disabled_by IS NULL);
BEGIN
    -- Before the endpoint, in the order in which the service records what it has tried.
    PERFORM FROM webhook_delivery WHERE webhook_id = webhook AND its_endpoint IS NOT NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'no_endpoint';
    ELSIF owner IS NOT NULL AND NOT may_ask_of_endpoint(its_endpoint) THEN
        RETURN 'too_many';
    END IF;
    UPDATE webhook_delivery SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), claimed_until = NULL, ended_at = NULL
     WHERE webhook_id = webhook;
    RETURN 'done';
END $$;

-- Begins some of an endpoint's dead deliveries again under their ids, the oldest first. A disabled endpoint gets nothing. With a time since
-- when: those that were created from it on and before the other time, also the delivered ones, but none that was delivered in the last ten
-- minutes, so an address that may be a stranger's gets no flood. Returns how many, and when the last of them was created: since then a next
-- call goes on, however long the deliveries take. The plan depends on which parameters are NULL.
CREATE OR REPLACE FUNCTION redeliver_webhooks(token bytea, of_endpoint text, most int, since timestamptz DEFAULT NULL,
                                              until timestamptz DEFAULT NULL)
    RETURNS TABLE (moved bigint, last_created_at timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    owner text := webhook_owner(token, 'webhooks');
BEGIN
    RETURN QUERY
    WITH again AS (
        UPDATE webhook_delivery
           SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), claimed_until = NULL, ended_at = NULL
         WHERE webhook_id IN (SELECT webhook_id FROM webhook_delivery AS ended JOIN webhook_endpoint AS endpoint USING (endpoint_id)
                               WHERE merchant_id = coalesce(owner, merchant_id) AND disabled_by IS NULL AND endpoint_id = of_endpoint
                                 AND (state = 'dead' OR since IS NOT NULL AND state = 'delivered'
                                                        AND ended_at < now() - interval '10 minutes')
                                 AND (since IS NULL OR ended.created_at >= since) AND (until IS NULL OR ended.created_at < until)
                               ORDER BY ended.created_at, webhook_id LIMIT coalesce(most, 0))
        RETURNING created_at)
    SELECT count(*), max(created_at) FROM again;
END $$;

-- The endpoints that the caller may manage, without their secrets.
CREATE OR REPLACE FUNCTION webhook_endpoints(token bytea, of_merchant text, endpoint text)
    RETURNS TABLE (endpoint_id text, merchant_id text, url text, events text[], created_at timestamptz, failing_since timestamptz,
                   state text, secrets bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner text := coalesce(webhook_owner(token, 'webhooks'), of_merchant);
BEGIN
    RETURN QUERY
    SELECT endpoint_id, merchant_id, url, events, created_at, failing_since,
           CASE WHEN disabled_by = 'person' THEN 'disabled_by_a_person' WHEN disabled_by = 'merchant' THEN 'disabled_by_its_merchant'
                WHEN disabled_by = 'failing' THEN 'disabled_after_failure' WHEN failing_since IS NOT NULL THEN 'failing'
                ELSE 'enabled' END,
           (SELECT count(*) FROM webhook_secret AS secret
             WHERE secret.endpoint_id = one.endpoint_id AND (expires_at IS NULL OR expires_at > now()))
      FROM webhook_endpoint AS one
     WHERE merchant_id = coalesce(owner, merchant_id) AND endpoint_id = coalesce(endpoint, endpoint_id)
       AND disabled_by IS DISTINCT FROM 'removed'
     ORDER BY merchant_id, created_at, endpoint_id;
END $$;

-- Deliveries, the newest first, without their bodies. Those of a payment need a token that may read payments. The plan depends on which
-- parameters are NULL.
CREATE OR REPLACE FUNCTION webhook_deliveries(token bytea, of_endpoint text, of_payment text, of_state text, webhook text,
                                              before_at timestamptz, before_id text, most int)
    RETURNS TABLE (webhook_id text, endpoint_id text, event_type text, payment_id text, state text, attempts int, last_status int,
                   last_error text, created_at timestamptz, due_at timestamptz, ended_at timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = chargeonce, pg_temp SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    owner text := webhook_owner(token, CASE WHEN of_payment IS NULL THEN 'webhooks' ELSE 'read' END);
BEGIN
    -- The newest of each endpoint, of which there are few, by its index: of all together none has the order.
    RETURN QUERY
    SELECT webhook_id, endpoint.endpoint_id, event_type, payment_id, state, attempts, last_status, last_error, delivery.created_at, due_at,
           ended_at
      FROM webhook_endpoint AS endpoint
     CROSS JOIN LATERAL (SELECT * FROM webhook_delivery AS its
                          WHERE its.endpoint_id = endpoint.endpoint_id
                            AND (of_payment IS NULL OR payment_id = of_payment) AND (of_state IS NULL OR state = of_state)
                            AND (webhook IS NULL OR webhook_id = webhook)
                            AND (before_at IS NULL OR (its.created_at, webhook_id) < (before_at, before_id))
                          ORDER BY its.created_at DESC, webhook_id DESC LIMIT coalesce(most, 0)) AS delivery
     WHERE (owner IS NULL OR merchant_id = owner) AND (of_endpoint IS NULL OR endpoint.endpoint_id = of_endpoint)
     ORDER BY delivery.created_at DESC, webhook_id DESC LIMIT coalesce(most, 0);
END $$;

-- Tells the merchant's other endpoints that one was disabled, and records it.
CREATE OR REPLACE FUNCTION tell_of_disabled_endpoint(gone webhook_endpoint, why text) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body)
    SELECT webhook_id_of(endpoint_id, gone.endpoint_id || '/disabled/' || gone.disabled_at), endpoint_id, 'endpoint.disabled',
           json_build_object('type', 'endpoint.disabled', 'timestamp', webhook_time(gone.disabled_at), 'data', json_build_object(
               'endpoint', gone.endpoint_id, 'failing_since', webhook_time(gone.failing_since)))
      FROM webhook_endpoint WHERE merchant_id = gone.merchant_id AND disabled_by IS NULL AND endpoint_id <> gone.endpoint_id
    ON CONFLICT (webhook_id) DO NOTHING;
    PERFORM append_audit(ARRAY[gone.merchant_id], ARRAY['webhook-sender'], ARRAY['webhook_endpoint.disabled'],
                         ARRAY['webhook_endpoint'], ARRAY[gone.endpoint_id], ARRAY[why],
                         ARRAY[json_build_object('failing_since', gone.failing_since)::text], NULL);
END $$;

-- How many merchants have an enabled endpoint that was tried since then, and how many of them are not reached: all their endpoints fail. By
-- merchants, because one with many endpoints that are wrong says nothing about our own way to the internet.
CREATE OR REPLACE FUNCTION merchants_reached(since timestamptz, OUT tried bigint, OUT unreached bigint)
    LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT count(*), count(*) FILTER (WHERE fails)
      FROM (SELECT bool_and(failing_since IS NOT NULL) AS fails
              FROM webhook_endpoint AS endpoint
              LEFT JOIN LATERAL (SELECT true
                                   FROM webhook_delivery AS delivery
                                  WHERE failing_since IS NULL AND delivery.endpoint_id = endpoint.endpoint_id
                                    AND delivery.created_at >= since AND state = 'delivered'
                                  ORDER BY created_at DESC LIMIT 1) AS reached (is_reached) ON true
             WHERE disabled_by IS NULL AND (failed_at >= since OR is_reached)
             GROUP BY merchant_id) AS merchant
$$;

-- Disables the endpoints whose tries have all failed for so long. Returns them. If more than half of at least three merchants were not
-- reached in this time, the fault may be ours (a firewall, the names of hosts, the list of trusted certificates). Then none is disabled,
-- and for those that would have been, the time begins again, unless they have failed for three times as long: none is kept for ever.
CREATE OR REPLACE FUNCTION disable_failing_endpoints(failing interval) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    since timestamptz := cutoff(failing, interval '1 hour');
    too_long text[] := ARRAY(SELECT endpoint_id FROM webhook_endpoint
                              WHERE disabled_by IS NULL AND failing_since <= since
                                AND (failed_at - failing >= greatest(failing_since, excused_at)
                                     OR failed_at - 3 * failing >= failing_since));
    gone webhook_endpoint;
BEGIN
    IF cardinality(too_long) = 0 THEN
        RETURN;
    ELSIF (SELECT tried >= 3 AND unreached * 2 > tried FROM merchants_reached(since)) THEN
        UPDATE webhook_endpoint SET excused_at = now() WHERE endpoint_id = ANY (too_long) AND failed_at - 3 * failing < failing_since;
        too_long := ARRAY(SELECT endpoint_id FROM webhook_endpoint
                           WHERE endpoint_id = ANY (too_long) AND failed_at - 3 * failing >= failing_since);
    END IF;
    FOR gone IN UPDATE webhook_endpoint SET disabled_by = 'failing', disabled_at = now()
                 WHERE endpoint_id = ANY (too_long) AND disabled_by IS NULL AND failing_since <= since
             RETURNING * LOOP
        PERFORM tell_of_disabled_endpoint(gone, 'every try has failed for too long');
        RETURN NEXT gone.endpoint_id;
    END LOOP;
END $$;

-- Disables endpoints that answered 410 Gone. A try must have failed at them just before.
CREATE OR REPLACE FUNCTION disable_gone_endpoints(endpoints text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    gone webhook_endpoint;
BEGIN
    FOR gone IN UPDATE webhook_endpoint SET disabled_by = 'failing', disabled_at = now()
                 WHERE endpoint_id = ANY (endpoints) AND disabled_by IS NULL AND failing_since IS NOT NULL
             RETURNING * LOOP
        PERFORM tell_of_disabled_endpoint(gone, 'it answered 410 Gone');
    END LOOP;
END $$;

-- Ends the failure of endpoints at which a try has succeeded. If all tries of one had failed for an hour or longer, its merchant's enabled
-- endpoints get an event, the recovered one too: it may have missed some.
CREATE OR REPLACE FUNCTION end_failure_of_endpoints(endpoints text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    failed webhook_endpoint;
BEGIN
    FOR failed IN SELECT * FROM webhook_endpoint WHERE endpoint_id = ANY (endpoints) AND failing_since IS NOT NULL
                   ORDER BY endpoint_id FOR NO KEY UPDATE LOOP
        UPDATE webhook_endpoint SET failing_since = NULL, failed_at = NULL WHERE endpoint_id = failed.endpoint_id;
        INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body)
        SELECT webhook_id_of(endpoint_id, failed.endpoint_id || '/recovered/' || failed.failing_since), endpoint_id, 'endpoint.recovered',
               json_build_object('type', 'endpoint.recovered', 'timestamp', webhook_time(now()), 'data', json_build_object(
                   'endpoint', failed.endpoint_id, 'failing_since', webhook_time(failed.failing_since)))
          FROM webhook_endpoint
         WHERE merchant_id = failed.merchant_id AND disabled_by IS NULL
           AND failed.disabled_by IS NULL AND failed.failing_since <= now() - interval '1 hour'
        ON CONFLICT (webhook_id) DO NOTHING;
    END LOOP;
END $$;

-- Ends what still waits for disabled endpoints. It stays listed, and can be redelivered. Returns how many.
CREATE OR REPLACE FUNCTION end_webhooks_of_disabled(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    ended int;
BEGIN
    -- A row whose result is just being recorded is left for the next call: waiting for it could deadlock.
    UPDATE webhook_delivery SET state = 'dead', ended_at = now(), last_error = 'endpoint_disabled'
     WHERE webhook_id IN (SELECT found.webhook_id FROM webhook_endpoint AS endpoint
                           CROSS JOIN LATERAL (SELECT webhook_id FROM webhook_delivery AS delivery
                                                WHERE delivery.endpoint_id = endpoint.endpoint_id AND state = 'waiting'
                                                LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED) AS found
                           WHERE disabled_by IS NOT NULL LIMIT coalesce(most, 0));
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN ended;
END $$;

-- Deletes what ended long ago, and removed endpoints that have no delivery left.
-- Longer than payments.outcomes keeps records: a repeat of a record must find its row.
CREATE OR REPLACE FUNCTION forget_webhooks(kept interval, most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    until timestamptz := cutoff(kept, interval '480 hours');
    forgotten int;
BEGIN
    DELETE FROM webhook_delivery WHERE webhook_id IN (SELECT webhook_id FROM webhook_delivery WHERE ended_at < until
                                                       ORDER BY ended_at LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    DELETE FROM webhook_endpoint AS endpoint
     WHERE disabled_by = 'removed'
       AND NOT EXISTS (SELECT FROM webhook_delivery AS delivery WHERE delivery.endpoint_id = endpoint.endpoint_id);
    RETURN forgotten;
END $$;
