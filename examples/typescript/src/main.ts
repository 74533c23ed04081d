// SPDX-License-Identifier: Apache-2.0
// Keeps each merchant's revenue by currency from payments.outcomes. Settings from the environment: KAFKA, DATABASE_URL, GROUP, TOPIC.
import kafkajs, { type IHeaders } from "kafkajs";
import lz4 from "lz4js";
import pg from "pg";
import { apply, createTables, type Headers } from "./revenue.js";

function texts(headers: IHeaders = {}): Headers {
  const all: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    all[name] = last === undefined ? "" : last.toString();
  }
  return all;
}

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs;
// The pipeline compresses its records with LZ4, which kafkajs leaves to others.
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: async (encoder: { buffer: Buffer }) => Buffer.from(lz4.compress(encoder.buffer)),
  decompress: async (data: Buffer) => Buffer.from(lz4.decompress(data)),
});

const database = new pg.Client({ connectionString: process.env["DATABASE_URL"] });
await database.connect();
await createTables(database);

const kafka = new Kafka({ brokers: (process.env["KAFKA"] ?? "127.0.0.1:19092").split(","), logLevel: logLevel.ERROR });
const consumer = kafka.consumer({ groupId: process.env["GROUP"] ?? "revenue-typescript" });

async function stop(code: number): Promise<never> {
  await consumer.disconnect();
  await database.end();
  process.exit(code);
}
process.once("SIGTERM", () => void stop(0));
process.once("SIGINT", () => void stop(0));
// A failure of the database or of an event ends the process. What was not committed is read again at the next start.
consumer.on(consumer.events.CRASH, ({ payload }) => {
  console.error(payload.error);
  if (!payload.restart) {
    void stop(1);
  }
});
database.on("error", (error) => {
  console.error(error);
  process.exit(1);
});

await consumer.connect();
const topic = process.env["TOPIC"] ?? "payments.outcomes";
await consumer.subscribe({ topic, fromBeginning: true });
console.log(`Reading ${topic} into the table revenue. Ctrl-C ends it.`);
await consumer.run({
  // One partition at a time, because there is one connection. An offset is committed only after its event was counted.
  partitionsConsumedConcurrently: 1,
  eachMessage: async ({ message }) => {
    await apply(database, texts(message.headers), message.value?.toString() ?? "null");
  },
});
