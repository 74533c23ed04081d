// SPDX-License-Identifier: Apache-2.0
// Takes a merchant's webhooks and keeps the newest revision of each operation and dispute in Postgres. Settings from the environment:
// DATABASE_URL, WEBHOOK_SECRETS with a comma between two, and PORT. Put a proxy with TLS before it.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { Webhook } from "standardwebhooks";

const LONGEST_BODY = 64 * 1024;

const TABLE = `
  CREATE TABLE IF NOT EXISTS settled (
    id text PRIMARY KEY, payment_id text NOT NULL, kind text NOT NULL, status text NOT NULL, amount bigint, currency text,
    revision int NOT NULL, happened_at timestamptz NOT NULL)`;
/**
 * An event that comes twice, is sent again by who has recorded it, or comes after a newer one changes nothing. A key that is used again
 * starts at a low revision, more than a month later.
 */
const KEEP_THE_NEWEST = `
  INSERT INTO settled (id, payment_id, kind, status, amount, currency, revision, happened_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, amount = excluded.amount, currency = excluded.currency,
    revision = excluded.revision, happened_at = excluded.happened_at
  WHERE CASE WHEN settled.happened_at BETWEEN excluded.happened_at - interval '30 days' AND excluded.happened_at + interval '30 days'
             THEN settled.revision < excluded.revision ELSE settled.happened_at < excluded.happened_at END`;

interface Operation {
  id: string;
  payment_id: string;
  kind: string;
  status: string;
  /** The PSP of a dispute may name neither. */
  amount?: number;
  currency?: string;
  revision?: number;
}

interface Event {
  timestamp: string;
  data: Operation;
}

const secrets = (process.env["WEBHOOK_SECRETS"] ?? "").split(",").map((secret) => new Webhook(secret));
const database = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
database.on("error", (error) => console.error(error));
await database.query(TABLE);

/** The library also refuses what was signed more than five minutes ago. */
function isOurs(request: IncomingMessage, body: string): boolean {
  const signed: Record<string, string> = {};
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    signed[name] = String(request.headers[name] ?? "");
  }
  return secrets.some((secret) => {
    try {
      secret.verify(body, signed);
      return true;
    } catch {
      return false;
    }
  });
}

async function keep({ timestamp, data }: Event): Promise<void> {
  // Without a revision it is about an endpoint, or of a type that is newer than this program.
  if (data.revision !== undefined) {
    const { id, payment_id, kind, status, amount, currency, revision } = data;
    await database.query(KEEP_THE_NEWEST, [id, payment_id, kind, status, amount ?? null, currency ?? null, revision, timestamp]);
  }
}

/** Any status but 2xx makes the event come again. */
async function answer(request: IncomingMessage): Promise<number> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += (part as Buffer).length;
    if (length > LONGEST_BODY) {
      return 413;
    }
    parts.push(part as Buffer);
  }
  const body = Buffer.concat(parts).toString("utf8");
  if (!isOurs(request, body)) {
    return 401;
  }
  try {
    await keep(JSON.parse(body) as Event);
    return 200;
  } catch (error) {
    console.error("The webhook could not be kept, and comes again:", error);
    return 500;
  }
}

const server = createServer((request, response) => {
  answer(request).then((status) => response.writeHead(status).end(), () => response.destroy());
});
server.listen(Number(process.env["PORT"] ?? "8088"), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(`Webhooks may come to http://localhost:${port}/, and are kept in the table settled. Ctrl-C ends it.`);
});
