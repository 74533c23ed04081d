-- SPDX-License-Identifier: Apache-2.0
-- Stored payment methods. The role that faces the internet stores, finds and detaches a merchant's methods by these functions, and never
-- reads a token back. Only the roles that make attempts get tokens, each time those of operations.

-- False if there is one of this id already: then nothing changes.
CREATE OR REPLACE FUNCTION store_payment_method(merchant text, id text, whose text, request bytea, accounts text[], customers text[],
                                                tokens text[]) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    INSERT INTO payment_method (payment_method_id, merchant_id, customer, psps, fingerprint)
    VALUES (id, merchant, whose, accounts, request) ON CONFLICT (payment_method_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO payment_method_token (payment_method_id, psp, customer, token)
    SELECT id, psp, its_customer, its_token FROM unnest(accounts, customers, tokens) AS each (psp, its_customer, its_token);
    PERFORM append_audit(ARRAY[merchant], ARRAY['merchant:' || merchant], ARRAY['payment_method.stored'], ARRAY['payment_method'],
                         ARRAY[id], NULL, ARRAY[json_build_object('psps', accounts)::text], NULL);
    RETURN true;
END $$;

-- The methods with these ids, each only if it is that merchant's. Detached ones too.
CREATE OR REPLACE FUNCTION payment_methods_of(merchants text[], ids text[]) RETURNS SETOF payment_method
    LANGUAGE plpgsql STABLE ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT stored.* FROM unnest(merchants, ids) AS ask (merchant_id, payment_method_id)
                   JOIN payment_method AS stored USING (merchant_id, payment_method_id);
END $$;

-- The newest hundred that are not detached.
CREATE OR REPLACE FUNCTION payment_methods_of_customer(merchant text, whose text) RETURNS SETOF payment_method
    LANGUAGE plpgsql STABLE ROWS 5 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM payment_method WHERE merchant_id = merchant AND customer = whose AND detached_at IS NULL
                  ORDER BY created_at DESC, payment_method_id LIMIT 100;
END $$;

-- No attempt begins with it any more. It waits for claims that have read its tokens. Their attempts continue, and a later claim finds no
-- token. False if the merchant has no such method, or it is detached already.
CREATE OR REPLACE FUNCTION detach_payment_method(merchant text, id text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
BEGIN
    UPDATE payment_method SET detached_at = now() WHERE payment_method_id = id AND merchant_id = merchant AND detached_at IS NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM payment_method_token WHERE payment_method_id = id;
    PERFORM append_audit(ARRAY[merchant], ARRAY['merchant:' || merchant], ARRAY['payment_method.detached'], ARRAY['payment_method'],
                         ARRAY[id], NULL, NULL, NULL);
    RETURN true;
END $$;

-- The tokens of the methods of those of these operations that an attempt may be made from. The methods are locked first: a detach waits for
-- the claim that calls this, so no attempt begins after its method was detached. The second statement sees what was committed while the
-- first one waited.
CREATE OR REPLACE FUNCTION tokens_of(operations text[]) RETURNS TABLE (operation_id text, psp text, customer text, token text)
    LANGUAGE plpgsql ROWS 10 SECURITY DEFINER SET search_path = chargeonce, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM payment_method
      WHERE payment_method_id IN (SELECT payment_method FROM operation WHERE operation_id = ANY (operations))
      ORDER BY payment_method_id FOR SHARE;
    RETURN QUERY
    SELECT its.operation_id, known.psp, known.customer, known.token
      FROM operation AS its
      JOIN operation_state AS progress ON progress.operation_id = its.operation_id
                                      AND progress.state IN ('accepted', 'scheduled', 'parked', 'processing')
      JOIN payment_method AS stored ON stored.payment_method_id = its.payment_method AND stored.merchant_id = its.merchant_id
      JOIN payment_method_token AS known USING (payment_method_id)
     WHERE its.operation_id = ANY (operations);
END $$;

-- Erases the methods that these payments were charged with: an erased customer is not charged again. "payments" may also name methods. For
-- erase_personal_data.
CREATE OR REPLACE FUNCTION erase_payment_methods(payments text[]) RETURNS void
    LANGUAGE plpgsql SET search_path = chargeonce, pg_temp AS $$
DECLARE
    theirs text[] := ARRAY(SELECT stored.payment_method_id FROM operation AS its
                             JOIN payment_method AS stored ON stored.payment_method_id = its.payment_method
                                                          AND stored.merchant_id = its.merchant_id
                            WHERE its.operation_id = ANY (payments)) || payments;
BEGIN
    UPDATE payment_method SET detached_at = now() WHERE payment_method_id = ANY (theirs) AND detached_at IS NULL;
    UPDATE payment_method SET customer = '[erased]' WHERE payment_method_id = ANY (theirs);
    DELETE FROM payment_method_token WHERE payment_method_id = ANY (theirs);
END $$;
