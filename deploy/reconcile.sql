-- Compares the PSP's own list of captures with our rows: what Postgres lost, what the PSP never took. Changes nothing.
-- Give it the PSP's export as CSV without a header (payment id from the metadata, amount as a decimal number such as 12.99,
-- currency), and the time from which that export is complete. Do not use the amounts of its API: some PSPs use units of their
-- own for some currencies.
--   psql -v psp=stripe -v since='2026-11-01 00:00Z' -f deploy/reconcile.sql … < captures.csv
\set ON_ERROR_STOP on
CREATE TEMP TABLE captured (payment_id text NOT NULL, amount numeric NOT NULL, currency text NOT NULL);
\copy captured FROM pstdin (FORMAT csv)
WITH theirs AS (
    -- In ISO 4217's minor units, as our rows are.
    SELECT payment_id, trim_scale(max(amount) * CASE
               WHEN upper(max(currency)) IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') THEN 1
               WHEN upper(max(currency)) IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 1000
               ELSE 100 END) AS amount, upper(max(currency)) AS currency, count(*) AS captures
      FROM captured
     GROUP BY payment_id
), compared AS (
    SELECT theirs.payment_id,
           CASE WHEN operation_id IS NULL THEN 'captured there, not known here'
                WHEN captures > 1 THEN 'captured ' || captures || ' times'
                WHEN state <> 'succeeded' THEN 'captured there, ' || state || ' here'
                WHEN psp <> :'psp' THEN 'captured there, and at ' || psp
                WHEN (ours.amount, ours.currency) <> (theirs.amount, theirs.currency) THEN 'another amount there'
                ELSE 'agrees' END AS finding,
           theirs.amount, theirs.currency
      FROM theirs LEFT JOIN chargeonce.operation_now AS ours ON operation_id = theirs.payment_id
    UNION ALL
    SELECT operation_id, 'succeeded here, not captured there', amount, currency
      FROM chargeonce.operation_now AS ours
     WHERE kind = 'charge' AND state = 'succeeded' AND psp = :'psp' AND settled_at >= :'since'
       AND NOT EXISTS (SELECT FROM captured WHERE captured.payment_id = operation_id)
)
SELECT finding, count(*) AS payments, sum(amount) AS minor_units, currency,
       CASE WHEN finding = 'agrees' THEN '' ELSE array_to_string((array_agg(payment_id ORDER BY payment_id))[1:3], ' ') END AS for_instance
  FROM compared
 GROUP BY finding, currency
 ORDER BY finding, currency;
