// SPDX-License-Identifier: Apache-2.0
import type {
  BatchAnswerLine, BatchRequestLine, CancelRequest, Payment, PaymentMethod, PaymentMethodRequest, PaymentRequest, RefundRequest,
} from "./api.js";
import { type Answer, Sending, type Sent, inWords, isOfTheMoment, parsed, retryAfter } from "./sending.js";

export type * from "./api.js";
export type { Accepted, Refused, Sent, Unknown } from "./sending.js";

/** How often and how soon to send again: exponential, with full jitter. Retry-After is a minimum. Times in milliseconds. */
export interface Retries {
  /** Sends, the first included. */
  most: number;
  /** The longest first pause; each next one may be twice as long. */
  first: number;
  /** The longest pause that jitter may choose, and the longest Retry-After that is obeyed. */
  longest: number;
}

export const USUAL: Retries = { most: 8, first: 100, longest: 30_000 };

/** There was no useful answer to a question, however often it was asked. */
export class ReadFailed extends Error {
  override name = "ReadFailed";
}

interface Again {
  why: string;
  retryAfter: number;
}

const NOT_FOUND = "urn:chargeonce:problem:not-found";
/** Without a connection nothing was sent. */
const NOT_CONNECTED = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];
/** So few that their answers fit into the buffers on the way: the server answers while it still reads. */
const LINES = 100;
const ENDED = ["succeeded", "declined", "refunded", "partially_refunded", "canceled"];

/**
 * Sends payments until each is accepted or refused for good. Every repeat has the same key and the same bytes, so it is safe even if
 * the answer to the first was lost. It repeats after no answer, 408, 409 in use, 429 and 5xx; other answers would not change. A payment
 * is called refused only if no sending of it can have been accepted.
 */
export class PaymentClient {
  readonly #server: URL;
  readonly #authorization: string;
  readonly #retries: Retries;
  readonly #patience: number;

  /**
   * @param server its scheme, host and port
   * @param patience milliseconds from a sending to the last byte of its answer; of a batch to its first answer, and from one to the next
   */
  constructor(server: string, token: string, retries: Retries = USUAL, patience = 20_000) {
    this.#server = new URL(server);
    this.#authorization = `Bearer ${token}`;
    new Headers({ Authorization: this.#authorization }); // A token that no header can hold is said here.
    this.#retries = retries;
    this.#patience = patience;
  }

  /**
   * Sends a payment. Derive the key from what is paid for, so that a producer that starts again finds the same one.
   *
   * @param options duplicateGuard: false for a payment that is meant although it looks like a recent one under another key
   */
  async pay(key: string, payment: PaymentRequest, options: { duplicateGuard?: boolean } = {}): Promise<Sent> {
    return this.#send("/v1/payments", payment, { "Idempotency-Key": checked(key), ...guard(options) });
  }

  /**
   * Sends payments together, each under its own key, a hundred to a request. Only those whose answer was lost or may still change are
   * sent again. The answers are in the order of the payments.
   *
   * @param options duplicateGuard: as for one payment, for all of them
   */
  async payAll(payments: BatchRequestLine[], options: { duplicateGuard?: boolean } = {}): Promise<Sent[]> {
    payments.forEach(payment => checked(payment.idempotency_key));
    const all: Sent[] = [];
    for (let from = 0; from < payments.length; from += LINES) {
      const sendings = payments.slice(from, from + LINES).map(payment => new Sending(JSON.stringify(payment)));
      all.push(...await this.#untilAnswered(sendings, (open, sends) => this.#sendLines(open, sends, guard(options))));
    }
    return all;
  }

  /** Stores a payment method with its token at each PSP. Its id is the accepted one's; its status says nothing. */
  async storeMethod(key: string, method: PaymentMethodRequest): Promise<Sent> {
    return this.#send("/v1/payment_methods", method, { "Idempotency-Key": checked(key) });
  }

  /** Gives back a payment, or part of it. Payment and reference do what a key does for a payment. */
  refund(payment: string, refund: RefundRequest = {}): Promise<Sent> {
    return this.#send(`/v1/payments/${encodeURIComponent(payment)}/refunds`, refund, {});
  }

  /**
   * Cancels a payment. Accepted says `canceled`, or `canceling` while it is not known whether an attempt has charged it. A payment that is
   * charged or declined already is refused.
   */
  cancel(payment: string, cancel: CancelRequest = {}): Promise<Sent> {
    return this.#send(`/v1/payments/${encodeURIComponent(payment)}/cancel`, cancel, {});
  }

  /** The payment as it stands now; undefined if this merchant has none of that id. Throws ReadFailed. */
  async find(payment: string): Promise<Payment | undefined> {
    return (await this.#get<Payment>(`/v1/payments/${encodeURIComponent(payment)}`))[0];
  }

  /** The same for what was sent under this key; undefined if nothing was accepted under it. Throws ReadFailed. */
  async findByKey(key: string): Promise<Payment | undefined> {
    return (await this.#get<Payment>(`/v1/payments?idempotency_key=${encodeURIComponent(key)}`))[0];
  }

  /** A stored payment method as it stands now; undefined if this merchant has none of that id. Throws ReadFailed. */
  async findMethod(id: string): Promise<PaymentMethod | undefined> {
    return (await this.#get<PaymentMethod>(`/v1/payment_methods/${encodeURIComponent(id)}`))[0];
  }

  /** Those of a customer that are not detached, the newest first, at most a hundred. Throws ReadFailed. */
  methodsOf(customer: string): Promise<PaymentMethod[]> {
    return this.#get(`/v1/payment_methods?customer=${encodeURIComponent(customer)}`);
  }

  /** Ends it, and deletes its tokens; doing it again changes nothing. Undefined if this merchant has none of that id. Throws ReadFailed. */
  async detach(id: string): Promise<PaymentMethod | undefined> {
    return (await this.#get<PaymentMethod>(`/v1/payment_methods/${encodeURIComponent(id)}`, "DELETE"))[0];
  }

  /** Waits for the end of a payment, and returns it as it stands after `most` milliseconds at the latest. Throws ReadFailed. */
  async wait(payment: string, most: number): Promise<Payment | undefined> {
    const end = performance.now() + most;
    for (let looks = 1; ; looks++) {
      const seen = await this.find(payment);
      const pause = this.#pause(looks, 0);
      if (!seen || hasEnded(seen) || performance.now() + pause >= end) {
        return seen;
      }
      await sleep(pause);
    }
  }

  async #send(path: string, body: PaymentRequest | RefundRequest | CancelRequest | PaymentMethodRequest,
              headers: Record<string, string>): Promise<Sent> {
    const one = new Sending(JSON.stringify(body));
    const [answered] = await this.#untilAnswered([one], async (_, sends) => {
      const answer = await this.#ask(path, { method: "POST", body: one.body, headers: { ...headers, "Content-Type": "application/json" } });
      one.take(answer, sends);
      return { why: inWords(answer), retryAfter: retryAfter(answer) };
    });
    return answered!;
  }

  /** @param send sends those that are still open, and gives each its answer; it fails if not all answers came */
  async #untilAnswered(all: Sending[], send: (open: Sending[], sends: number) => Promise<Again>): Promise<Sent[]> {
    for (let sends = 1; ; sends++) {
      const open = all.filter(one => !one.sent);
      const again = await send(open, sends).catch((failure: unknown) => {
        const why = `no answer: ${failureInWords(failure)}`;
        open.filter(one => one.answered < sends && !isNotConnected(failure)).forEach(one => one.mayBeAccepted(why));
        return { why, retryAfter: 0 };
      });
      if (sends >= this.#retries.most) {
        open.forEach(one => one.sent ??= { kind: "unknown", lastSeen: again.why, sends });
      }
      if (all.every(one => one.sent)) {
        return all.map(one => one.sent!);
      }
      await sleep(this.#pause(sends, again.retryAfter));
    }
  }

  /** If the connection breaks, the answers before count. */
  async #sendLines(open: Sending[], sends: number, guard: Record<string, string>): Promise<Again> {
    const over = new AbortController();
    const watch = setTimeout(() => over.abort(new Error(`nothing came within ${this.#patience} ms`)), this.#patience);
    const again: Again = { why: "", retryAfter: 0 };
    const take = (one: Sending, answer: Answer): void => {
      one.take(answer, sends);
      again.why = one.sent ? again.why : inWords(answer);
      again.retryAfter = Math.max(again.retryAfter, retryAfter(answer));
    };
    try {
      const response = await this.#fetch("/v1/payments/batch", { method: "POST", body: open.map(one => `${one.body}\n`).join(""),
        headers: { ...guard, "Content-Type": "application/x-ndjson" }, signal: over.signal });
      if (response.status !== 200) {
        const answer = { status: response.status, headers: response.headers, json: parsed(await response.text()) };
        open.forEach(one => take(one, answer));
        return again;
      }
      for await (const line of lines(response, () => watch.refresh())) {
        const answer = JSON.parse(line) as BatchAnswerLine;
        const one = open[answer.line - 1];
        if (!one || typeof answer.status !== "number" || typeof answer.body !== "object" || !answer.body) {
          throw new Error("a line of the answers is no answer to a payment that was sent");
        }
        take(one, { status: answer.status, headers: new Headers(answer.headers), json: answer.body as object as Record<string, unknown> });
      }
    } finally {
      clearTimeout(watch);
    }
    if (open.some(one => one.answered < sends)) {
      throw new Error("the answers ended before all were there");
    }
    return again;
  }

  async #get<T>(path: string, method = "GET"): Promise<T[]> {
    for (let asks = 1; ; asks++) {
      let again: Again;
      try {
        const answer = await this.#ask(path, { method });
        if (answer.status === 404 && answer.json.type === NOT_FOUND) {
          return [];
        }
        if (answer.status === 200 && (Array.isArray(answer.json.data) || "id" in answer.json)) {
          return (Array.isArray(answer.json.data) ? answer.json.data : [answer.json]) as T[];
        }
        again = { why: inWords(answer), retryAfter: retryAfter(answer) };
        if (!isOfTheMoment(answer)) {
          throw new ReadFailed(again.why);
        }
      } catch (failure) {
        if (failure instanceof ReadFailed) {
          throw failure;
        }
        again = { why: `no answer: ${failureInWords(failure)}`, retryAfter: 0 };
      }
      if (asks >= this.#retries.most) {
        throw new ReadFailed(again.why);
      }
      await sleep(this.#pause(asks, again.retryAfter));
    }
  }

  /** The signal covers the body too. */
  async #ask(path: string, request: RequestInit): Promise<Answer> {
    const response = await this.#fetch(path, { ...request, signal: AbortSignal.timeout(this.#patience) });
    return { status: response.status, headers: response.headers, json: parsed(await response.text()) };
  }

  /** A redirect is an answer: the token and the payment go to no other host. */
  #fetch(path: string, request: RequestInit): Promise<Response> {
    return fetch(new URL(path, this.#server), {
      ...request, headers: { ...request.headers, Authorization: this.#authorization }, redirect: "manual",
    });
  }

  #pause(sends: number, asked: number): number {
    const ceiling = Math.min(this.#retries.longest, this.#retries.first * 2 ** (sends - 1));
    return Math.random() * ceiling + Math.min(asked, this.#retries.longest);
  }
}

/** Whether the payment's status is final. A purge that a person may still undo is not. */
export function hasEnded(payment: Payment): boolean {
  return ENDED.includes(payment.status) || payment.status === "purged" && payment.purge?.final === true;
}

function guard(options: { duplicateGuard?: boolean }): Record<string, string> {
  return options.duplicateGuard === false ? { "Duplicate-Guard": "off" } : {};
}

/** Each line as it comes. */
async function* lines(response: Response, came: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body ?? []) {
    came();
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") {
    yield rest;
  }
}

function checked(key: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new RangeError("a key is 1 to 255 visible ASCII characters");
  }
  return key;
}

function isNotConnected(failure: unknown): boolean {
  const cause = failure instanceof Error ? failure.cause as { code?: string } | undefined : undefined;
  return NOT_CONNECTED.includes(cause?.code ?? "");
}

function failureInWords(failure: unknown): string {
  if (!(failure instanceof Error)) {
    return String(failure);
  }
  return failure.cause instanceof Error ? `${failure.message} (${failure.cause.message})` : failure.message;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}
