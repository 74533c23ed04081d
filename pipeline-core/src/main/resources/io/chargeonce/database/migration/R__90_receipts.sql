-- SPDX-License-Identifier: Apache-2.0
-- Receipts to customers: docs/receipts.md.

-- Upper and lower case name the same mailbox. Under "C" the id is the same in every database.
CREATE OR REPLACE FUNCTION receipt_id_of(operation text, life bigint, recipient text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'rcp_' || left(encode(sha256(convert_to(operation || '/' || life || ' ' || lower(btrim(recipient) COLLATE "C"), 'UTF8')),
                                 'hex'), 32)
$$;

-- Whether the request that took the money gave the address to the PSP, which has mailed a receipt then: CHARGEONCE_RECEIPTS had another
-- value when it was made.
CREATE OR REPLACE FUNCTION mailed_by_the_psp(payment text) RETURNS boolean LANGUAGE sql STABLE SET search_path = chargeonce, pg_temp AS $$
    SELECT EXISTS (SELECT FROM attempt_of_payment
                    WHERE payment_id = payment AND operation = 'charge' AND state = 'succeeded'
                      AND position('receipt_email='::bytea IN request) > 0)
$$;

-- Inserts the receipts of these operations, as far as they have succeeded, or failed after that, and their payment has an address. The
-- caller only names operations, so no record of Kafka can invent a payment, an amount or a recipient. A repeat inserts nothing. Returns
-- how many were inserted.
CREATE OR REPLACE FUNCTION stage_receipts(operations text[]) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    inserted int;
BEGIN
    INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind)
    SELECT receipt_id_of(its.operation_id || CASE its.state WHEN 'failed' THEN '/failed' ELSE '' END, life_of(its.accepted_at),
                         charge.receipt_email),
           its.operation_id, its.payment_id, its.merchant_id, CASE its.state WHEN 'failed' THEN 'refund_failed' ELSE its.kind END
      FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
     WHERE its.operation_id = ANY (operations)
       AND (its.state = 'succeeded' AND its.kind IN ('charge', 'refund') OR its.state = 'failed' AND its.kind = 'refund')
       AND charge.receipt_email <> '[erased]' AND NOT (its.kind = 'charge' AND mailed_by_the_psp(its.payment_id))
     ORDER BY 1
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    RETURN inserted;
END $$;

-- Ends the receipts of these operations that still wait. A digest of an address can be guessed, so it goes with the address.
CREATE OR REPLACE FUNCTION end_receipts_without_an_address(operations text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    UPDATE receipt SET receipt_id = 'rcp_' || replace(gen_random_uuid()::text, '-', ''),
                       state = CASE WHEN state = 'waiting' THEN 'erased' ELSE state END, ended_at = coalesce(ended_at, now())
     WHERE operation_id = ANY (operations)
$$;

-- For a person, when Kafka has lost records: the receipts that these payments and their refunds lack. Returns how many there were. None of
-- what settled so long ago that its receipt may have been sent and forgotten.
CREATE OR REPLACE FUNCTION stage_missed_receipts(payments text[]) RETURNS int
    LANGUAGE sql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
    SELECT stage_receipts(ARRAY(SELECT operation_id FROM operation_now
                                 WHERE payment_id = ANY (payments) AND settled_at > now() - interval '480 hours'))
$$;

-- What a claimed receipt says and where it goes, read just before it is sent. Without an address any more, it ends here and the result is
-- empty; so it is for a claim that is over.
CREATE OR REPLACE FUNCTION receipt_to_send(receipt text, its_fence bigint)
    RETURNS TABLE (recipient text, of_kind text, of_payment text, of_amount bigint, of_currency text, of_reference text,
                   of_description text, at timestamptz, name text, reply_to text, locale text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    claimed text;
    told text;
BEGIN
    SELECT claim.operation_id, claim.kind INTO claimed, told FROM receipt AS claim
     WHERE claim.receipt_id = receipt AND claim.state = 'waiting' AND claim.fence = its_fence AND claim.attempts > 0
       AND claim.claimed_until > now();
    IF claimed IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT charge.receipt_email, told, its.payment_id, its.amount, its.currency, charge.reference,
           nullif(charge.description, '[erased]'), its.settled_at, coalesce(merchant.receipt_name, its.merchant_id),
           merchant.receipt_reply_to, merchant.receipt_locale
      FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
      LEFT JOIN merchant ON merchant.merchant_id = its.merchant_id
     WHERE its.operation_id = claimed AND its.state IN ('succeeded', 'failed') AND charge.receipt_email <> '[erased]';
    IF NOT FOUND THEN
        PERFORM end_receipts_without_an_address(ARRAY[claimed]);
    END IF;
END $$;

-- Deletes what ended long ago. Longer than payments.receipts keeps records: a repeat of a record must find its row.
CREATE OR REPLACE FUNCTION forget_receipts(kept interval, most int) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
DECLARE
    until timestamptz := cutoff(kept, interval '480 hours');
    forgotten int;
BEGIN
    DELETE FROM receipt WHERE receipt_id IN (SELECT receipt_id FROM receipt WHERE ended_at < until
                                              ORDER BY ended_at LIMIT coalesce(most, 0) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;
