-- SPDX-License-Identifier: Apache-2.0
-- What the role that faces the internet may do and read beside its inserts. It has no right to any table with payments, tokens or
-- purchases. It calls these functions, which run as the schema's owner and return one merchant's payment if the caller gives the merchant
-- and the payment's id, key or reference. No setting says which merchant a session serves, because a thief of the login could set it.

-- These tokens were used now, to within some minutes.
CREATE OR REPLACE FUNCTION tokens_were_used(digests bytea[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    INSERT INTO token_use (token_sha256, used_at)
    SELECT token_sha256, now() FROM merchant_token WHERE token_sha256 = ANY (digests) ORDER BY token_sha256
    ON CONFLICT (token_sha256) DO UPDATE SET used_at = excluded.used_at WHERE token_use.used_at < excluded.used_at - interval '5 minutes'
$$;

-- Accepting a refund needs a lock on the payment's row, but no right to change it. This function is that lock and no more.
CREATE OR REPLACE FUNCTION lock_payment(payment text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT FROM operation_state WHERE operation_id = payment FOR UPDATE
$$;

-- A second click must leave nothing behind, but the role that faces the internet may not delete keys. This function deletes only keys that
-- the same transaction inserted. That is proved by the transaction's time, which the role cannot set in a row, and by the row's version,
-- because another transaction may have begun in the same microsecond. A key whose payment was accepted always stays.
CREATE OR REPLACE FUNCTION take_back_keys(merchants text[], keys text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    DELETE FROM idempotency_key USING unnest(merchants, keys) AS ask (merchant_id, idempotency_key)
     WHERE idempotency_key.merchant_id = ask.merchant_id AND idempotency_key.idempotency_key = ask.idempotency_key
       AND created_at = now() AND idempotency_key.xmin = pg_current_xact_id()::xid
       AND NOT EXISTS (SELECT FROM operation WHERE operation_id = resource_id)
$$;

-- From here on plpgsql, which keeps plans.
CREATE OR REPLACE FUNCTION operation_of(merchant text, operation text) RETURNS SETOF operation_now
    LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM operation_now WHERE operation_id = operation AND merchant_id = merchant;
END $$;

CREATE OR REPLACE FUNCTION refunds_of(merchant text, payment text) RETURNS SETOF operation_now
    LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM operation_now WHERE payment_id = payment AND kind = 'refund' AND merchant_id = merchant
                  ORDER BY accepted_at, operation_id;
END $$;

-- The newest first, at most a hundred and one: a page, and whether there are more.
CREATE OR REPLACE FUNCTION payments_with_reference(merchant text, wanted text, before timestamptz, before_id text, most int)
    RETURNS SETOF operation_now
    LANGUAGE plpgsql STABLE ROWS 20 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM operation_now
                  WHERE merchant_id = merchant AND reference = wanted AND kind = 'charge'
                    AND (accepted_at, operation_id) < (before, before_id)
                  ORDER BY accepted_at DESC, operation_id DESC LIMIT least(most, 101);
END $$;

-- Keys that are taken, by payments and refunds, with the present state of those. A login that writes a key names any resource with it, so
-- the resource has to be of the key's merchant.
CREATE OR REPLACE FUNCTION keys_taken(merchants text[], keys text[])
    RETURNS TABLE (merchant_id text, idempotency_key text, fingerprint bytea, fingerprint_version smallint, request_path text,
                   request_params json, created_at timestamptz, state text, generation smallint, sequence int, cancel_requested_at timestamptz,
                   settled_at timestamptz, resolve_at timestamptz, failure_cause text, amount bigint, refunded numeric, resource_id text)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT taken.merchant_id, taken.idempotency_key, taken.fingerprint, taken.fingerprint_version, taken.request_path,
           coalesce(taken.request_params, json_strip_nulls(json_build_object(
               'amount', charge.amount, 'currency', charge.currency, 'payment_method', charge.payment_method, 'customer', charge.customer,
               'reference', charge.reference, 'description', charge.description, 'receipt_email', charge.receipt_email,
               'initiator', charge.initiator))),
           taken.created_at, charge.state, charge.generation, charge.sequence, charge.cancel_requested_at, charge.settled_at,
           charge.resolve_at, charge.failure_cause, charge.amount,
           (SELECT coalesce(sum(back.amount), 0) FROM operation_now AS back
             WHERE back.payment_id = charge.operation_id AND back.kind = 'refund' AND back.state = 'succeeded'), taken.resource_id
      FROM unnest(merchants, keys) AS ask (merchant_id, idempotency_key)
      JOIN idempotency_key AS taken USING (merchant_id, idempotency_key)
      JOIN operation_now AS charge ON charge.operation_id = taken.resource_id AND charge.merchant_id = taken.merchant_id;
END $$;

-- An attempt as its merchant may see it: without the request, the PSP's key and the PSP's exact words.
CREATE OR REPLACE FUNCTION attempts_of(merchant text, payment text)
    RETURNS TABLE (sequence int, psp text, state text, cause text, sends int, sent_at timestamptz, decided_at timestamptz)
    LANGUAGE plpgsql STABLE ROWS 2 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF EXISTS (SELECT FROM operation WHERE operation_id = payment AND merchant_id = merchant) THEN
        RETURN QUERY
        SELECT tried.sequence, tried.psp, tried.state, tried.cause, tried.sends::int, tried.sent_at, tried.decided_at
          FROM attempt_of_payment AS tried WHERE tried.payment_id = payment AND tried.operation = 'charge'
         ORDER BY tried.sequence;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION capture_failure_of(merchant text, payment text) RETURNS SETOF capture_failure
    LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT failure.* FROM capture_failure AS failure JOIN operation USING (operation_id)
                  WHERE operation_id = payment AND merchant_id = merchant;
END $$;

CREATE OR REPLACE FUNCTION disputes_of(merchant text, payment text) RETURNS SETOF dispute
    LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT dispute.* FROM dispute JOIN operation ON operation_id = dispute.payment_id
                  WHERE operation_id = payment AND merchant_id = merchant;
END $$;

-- Those of these payments, for which clients wait, that have settled. The caller knows their ids, which prove whose they are.
CREATE OR REPLACE FUNCTION settled_among(payments text[]) RETURNS TABLE (operation_id text, state text, failure_cause text)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT settled.operation_id, settled.state, settled.failure_cause FROM operation_state AS settled
                  WHERE settled.operation_id = ANY (payments) AND settled.state IN ('succeeded', 'declined', 'canceled');
END $$;

-- The merchants of these tokens, what each token allows, from which addresses, and for how many milliseconds more. Without a token's digest
-- the caller learns nothing.
CREATE OR REPLACE FUNCTION merchants_of(digests bytea[])
    RETURNS TABLE (token_sha256 bytea, merchant_id text, requests_per_second int, revoked boolean, scopes text[], addresses text[],
                   lives bigint)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT token.token_sha256, merchant_id, merchant.requests_per_second, token.revoked_at IS NOT NULL, token.scopes,
                        token.addresses::text[],
                        (least(extract(epoch FROM token.expires_at - clock_timestamp()), 1000000000) * 1000)::bigint
                   FROM merchant_token AS token JOIN merchant USING (merchant_id)
                  WHERE token.token_sha256 = ANY (digests);
END $$;

-- Those of these payments that are the first of their purchase: each takes its purchase's row for its merchant's time window. One that is
-- canceled was no purchase. All callers use the same order, so two batches cannot deadlock.
CREATE OR REPLACE FUNCTION take_purchases(merchants text[], purchases bytea[], payments text[]) RETURNS SETOF text
    LANGUAGE plpgsql STRICT ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    INSERT INTO duplicate_guard AS guard (merchant_id, purchase, payment_id, until)
    SELECT DISTINCT ON (merchant_id, purchase) merchant_id, purchase, payment_id, now() + duplicate_window_ms * interval '1 millisecond'
      FROM unnest(merchants, purchases, payments) AS ask (merchant_id, purchase, payment_id) JOIN merchant USING (merchant_id)
     WHERE duplicate_window_ms > 0
     ORDER BY merchant_id, purchase, payment_id
    ON CONFLICT (merchant_id, purchase) DO UPDATE SET payment_id = excluded.payment_id, until = excluded.until
     WHERE guard.until <= now()
        OR EXISTS (SELECT FROM operation_state WHERE operation_id = guard.payment_id AND operation_state.state = 'canceled')
    RETURNING payment_id;
END $$;

-- The first payments of purchases that were requested again.
CREATE OR REPLACE FUNCTION first_purchases(payments text[], merchants text[], purchases bytea[]) RETURNS TABLE (asked text, first text)
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT ask.payment_id, guard.payment_id
      FROM unnest(payments, merchants, purchases) AS ask (payment_id, merchant_id, purchase)
      JOIN duplicate_guard AS guard USING (merchant_id, purchase);
END $$;

-- Deletes purchases whose time is over.
CREATE OR REPLACE FUNCTION forget_purchases(most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    forgotten int;
BEGIN
    DELETE FROM duplicate_guard
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM duplicate_guard WHERE until < now() LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;
