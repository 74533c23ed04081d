// SPDX-License-Identifier: Apache-2.0
// Runs the commands on standard input with the TypeScript client: one a line as JSON, one answer a line.
import { createInterface } from "node:readline";
import { PaymentClient } from "../../../typescript/dist/client.js";

const [server, token] = process.argv.slice(2);
const client = new PaymentClient(server, token, { most: 5, first: 1, longest: 5_000 }, 1_000);

async function run({ do: what, key, payment, method, customer, body, most, guard }) {
  switch (what) {
    case "store": return client.storeMethod(key, body);
    case "find_method": return await client.findMethod(method) ?? null;
    case "methods_of": return client.methodsOf(customer);
    case "detach": return await client.detach(method) ?? null;
    case "pay": return client.pay(key, body, { duplicateGuard: guard });
    case "pay_all": return client.payAll(body, { duplicateGuard: guard });
    case "refund": return client.refund(payment, body);
    case "cancel": return client.cancel(payment, body);
    case "find": return await client.find(payment) ?? null;
    case "find_by_key": return await client.findByKey(key) ?? null;
    case "wait": return await client.wait(payment, most * 1_000) ?? null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await run(JSON.parse(line)).catch(failure => ({ failure: `${failure.name}: ${failure.message}` }));
  console.log(JSON.stringify(answer));
}
