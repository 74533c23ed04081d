// SPDX-License-Identifier: Apache-2.0
import type { Client } from "pg";

/** The headers of a record as texts. */
export type Headers = Record<string, string>;

/** Reversals are not here: they give back money that no event announced. */
const SIGNS: Record<string, bigint> = {
  "io.chargeonce.payment.succeeded": 1n,
  "io.chargeonce.refund.succeeded": -1n,
  "io.chargeonce.refund.failed": 1n,
  "io.chargeonce.return.succeeded": -1n,
};

const TABLES = `
  CREATE TABLE IF NOT EXISTS seen_event (
    ce_source text, ce_id text, seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (ce_source, ce_id));
  CREATE TABLE IF NOT EXISTS revenue (
    merchant text, currency text, minor_units bigint NOT NULL, PRIMARY KEY (merchant, currency))`;

/** If another process is storing the same id, the database waits for it to commit. */
const REMEMBER = "INSERT INTO seen_event (ce_source, ce_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";

const ADD = `
  INSERT INTO revenue (merchant, currency, minor_units) VALUES ($1, $2, $3)
  ON CONFLICT (merchant, currency) DO UPDATE SET minor_units = revenue.minor_units + excluded.minor_units`;

export async function createTables(database: Client): Promise<void> {
  await inTransaction(database, async () => {
    // Two processes that start at once must not create the tables at once.
    await database.query("SELECT pg_advisory_xact_lock(hashtext('revenue'))");
    await database.query(TABLES);
  });
}

/**
 * Counts an event, unless it was counted before: its id is stored in the transaction that counts it. Resolves after the commit, and says
 * whether the event was new and counted. One call at a time for each connection.
 */
export async function apply(database: Client, headers: Headers, value: string): Promise<boolean> {
  const type = headers["ce_type"] ?? "";
  const sign = SIGNS[type];
  if (sign === undefined) {
    return false; // New types may appear at any time.
  }
  const schema = headers["ce_dataschema"];
  if (schema !== `urn:chargeonce:schema:${type.replace("io.chargeonce.", "")}:1`) {
    // This program is too old for the event. Passing it over would lose money.
    throw new Error(`${type} has the schema ${schema}. Update this program, and start it again.`);
  }
  const event = JSON.parse(value) as { merchant: string; currency: string; amount: number };
  return inTransaction(database, async () => {
    const fresh = (await database.query(REMEMBER, [headers["ce_source"], headers["ce_id"]])).rowCount === 1;
    if (fresh) {
      // An amount is at most 999999999999 minor units, so a number holds it exactly; a sum may not, so the database adds.
      await database.query(ADD, [event.merchant, event.currency, String(sign * BigInt(event.amount))]);
    }
    return fresh;
  });
}

async function inTransaction<T>(database: Client, work: () => Promise<T>): Promise<T> {
  await database.query("BEGIN");
  try {
    const result = await work();
    await database.query("COMMIT");
    return result;
  } catch (error) {
    await database.query("ROLLBACK");
    throw error;
  }
}
