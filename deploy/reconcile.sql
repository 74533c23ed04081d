-- Compares the PSP's own list of captures and refunds with our rows: what Postgres lost, what the PSP never did. Changes nothing.
-- Give it the PSP's export as CSV without a header: 'capture' or 'refund'; our id of it; the amount as a decimal number such as
-- 12.99; the currency. Our id is the attempt_key of the metadata (Adyen: the merchant reference), or else the operation_id of a
-- refund and the payment_id of a capture. Do not use the amounts of the PSP's API: some PSPs use units of their own for some
-- currencies. And give it the time from which the export is complete.
--   psql -v psp=stripe -v since='2026-11-01 00:00Z' -f deploy/reconcile.sql … < movements.csv
\set ON_ERROR_STOP on
CREATE TEMP TABLE moved (done text NOT NULL CHECK (done IN ('capture', 'refund')), id text NOT NULL, amount numeric NOT NULL,
                         currency text NOT NULL);
\copy moved FROM pstdin (FORMAT csv)
WITH theirs AS (
    -- In ISO 4217's minor units, as our rows are.
    SELECT done || CASE done WHEN 'capture' THEN 'd' ELSE 'ed' END AS done, coalesce(operation_id, id) AS id,
           trim_scale(max(moved.amount) * CASE
               WHEN upper(max(currency)) IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV',
                                             'XAF', 'XOF', 'XPF') THEN 1
               WHEN upper(max(currency)) IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 1000
               ELSE 100 END) AS amount, upper(max(currency)) AS currency, count(*) AS times
      FROM moved LEFT JOIN chargeonce.payment_attempt ON psp_key = id
     GROUP BY 1, 2
), compared AS (
    SELECT theirs.id,
           CASE WHEN operation_id IS NULL THEN done || ' there, not known here'
                WHEN times > 1 THEN done || ' ' || times || ' times'
                WHEN state <> 'succeeded' THEN done || ' there, ' || state || ' here'
                WHEN psp <> :'psp' THEN done || ' there, and at ' || psp
                WHEN (ours.amount, ours.currency) <> (theirs.amount, theirs.currency) THEN done || ': another amount there'
                ELSE done || ': agrees' END AS finding,
           theirs.amount, theirs.currency
      FROM theirs LEFT JOIN chargeonce.operation_now AS ours ON operation_id = theirs.id
    UNION ALL
    SELECT operation_id, 'succeeded here, not ' || CASE kind WHEN 'charge' THEN 'captured' ELSE 'refunded' END || ' there', amount, currency
      FROM chargeonce.operation_now AS ours
     WHERE state = 'succeeded' AND psp = :'psp' AND settled_at >= :'since'
       AND NOT EXISTS (SELECT FROM theirs WHERE theirs.id = operation_id)
)
SELECT finding, count(*), sum(amount) AS minor_units, currency,
       CASE WHEN finding LIKE '%: agrees' THEN '' ELSE array_to_string((array_agg(id ORDER BY id))[1:3], ' ') END AS for_instance
  FROM compared
 GROUP BY finding, currency
 ORDER BY finding, currency;
