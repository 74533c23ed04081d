// SPDX-License-Identifier: Apache-2.0
import type {
  CancelRequest, Payment, PaymentMethod, PaymentMethodRequest, PaymentRequest, Problem, RefundRequest,
} from "./api.js";

export type * from "./api.js";

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
const YEAR_SECONDS = 365 * 86_400;

/** Durably accepted: it is charged once, or given back once, unless it is canceled or a person ends it first. `status` is how it stands now. */
export interface Accepted {
  kind: "accepted";
  id: string;
  status: string;
  /** Whether an earlier sending had been accepted already. */
  replay: boolean;
  sends: number;
}

/** Refused for good, and no sending of it was accepted: sending the same again changes nothing. */
export interface Refused {
  kind: "refused";
  httpStatus: number;
  /** Such as `urn:chargeonce:problem:invalid-request`. */
  type: string;
  /** What to do next, for people. */
  detail: string;
  /** Each field, header or parameter that is wrong. */
  errors: { field: string; detail: string }[];
  sends: number;
}

/** Not known whether it was accepted. Send it again later with the same key, never with another one. */
export interface Unknown {
  kind: "unknown";
  /** What stood in the way, for people. */
  lastSeen: string;
  sends: number;
}

export type Sent = Accepted | Refused | Unknown;

/** There was no useful answer to a question, however often it was asked. */
export class ReadFailed extends Error {
  override name = "ReadFailed";
}

interface Answer {
  status: number;
  headers: Headers;
  json: Record<string, unknown>;
}

interface Again {
  why: string;
  retryAfter: number;
}

const IN_USE = "urn:chargeonce:problem:idempotency-key-in-use";
const NOT_FOUND = "urn:chargeonce:problem:not-found";
/** Final even if an earlier sending may have been accepted: the key holds something else for good, or what is to be canceled has ended. */
const FINAL = ["urn:chargeonce:problem:idempotency-key-reused", "urn:chargeonce:problem:refund-differs",
  "urn:chargeonce:problem:already-captured", "urn:chargeonce:problem:payment-declined"];
/** Without a connection nothing was sent. */
const NOT_CONNECTED = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];
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
   * @param patience milliseconds from a sending to the last byte of its answer
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
    const guard: Record<string, string> = options.duplicateGuard === false ? { "Duplicate-Guard": "off" } : {};
    return this.#send("/v1/payments", payment, { "Idempotency-Key": checked(key), ...guard });
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
    const bytes = JSON.stringify(body);
    let doubt: string | undefined;
    for (let sends = 1; ; sends++) {
      let again: Again;
      try {
        const answer = await this.#ask(path, { method: "POST", body: bytes, headers: { ...headers, "Content-Type": "application/json" } });
        if (!mayChange(answer)) {
          return doubt === undefined || endsDoubt(answer) ? sent(answer, sends)
            : { kind: "unknown", lastSeen: `${inWords(answer)}; an earlier sending may have been accepted (${doubt})`, sends };
        }
        again = { why: inWords(answer), retryAfter: retryAfter(answer) };
        // Behind a 5xx a commit may have succeeded; a 429 comes before anything is tried.
        doubt ??= answer.status === 429 ? undefined : again.why;
      } catch (failure) {
        again = { why: `no answer: ${failureInWords(failure)}`, retryAfter: 0 };
        doubt ??= isNotConnected(failure) ? undefined : again.why;
      }
      if (sends >= this.#retries.most) {
        return { kind: "unknown", lastSeen: again.why, sends };
      }
      await sleep(this.#pause(sends, again.retryAfter));
    }
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

  /** The signal covers the body too. A redirect is an answer: the token and the payment go to no other host. */
  async #ask(path: string, request: RequestInit): Promise<Answer> {
    const response = await fetch(new URL(path, this.#server), {
      ...request,
      headers: { ...request.headers, Authorization: this.#authorization },
      redirect: "manual",
      signal: AbortSignal.timeout(this.#patience),
    });
    return { status: response.status, headers: response.headers, json: parsed(await response.text()) };
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

function checked(key: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new RangeError("a key is 1 to 255 visible ASCII characters");
  }
  return key;
}

function sent(answer: Answer, sends: number): Sent {
  const { status, headers, json } = answer;
  if (isAccepted(answer)) {
    return { kind: "accepted", id: text(json.id), status: headers.get("Payment-Status") ?? text(json.status),
      replay: headers.has("Idempotent-Replayed"), sends };
  }
  const errors = (json as Partial<Problem>).errors;
  return { kind: "refused", httpStatus: status, type: text(json.type), detail: text(json.detail),
    errors: Array.isArray(errors) ? errors.map(error => ({ field: text(error.field), detail: text(error.detail) })) : [], sends };
}

function isAccepted({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function isOfTheMoment({ status }: Answer): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Whether the same request can get another answer later. What something on the way made up has no id. */
function mayChange(answer: Answer): boolean {
  return isOfTheMoment(answer) || answer.status === 409 && answer.json.type === IN_USE || isAccepted(answer) && text(answer.json.id) === "";
}

function endsDoubt(answer: Answer): boolean {
  return isAccepted(answer) || FINAL.includes(text(answer.json.type));
}

function inWords({ status, json }: Answer): string {
  return `the server answered ${status} ${text(json.type)}`.trimEnd();
}

/** In milliseconds; 0 if the header is neither a number of seconds nor a date to come, in one of the three forms of RFC 9110. */
function retryAfter({ headers }: Answer): number {
  const asked = headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(asked)) {
    return Math.min(Number(asked), YEAR_SECONDS) * 1_000;
  }
  // Two forms name the zone, and the third one means the same.
  const date = /^[A-Z][a-z]+,? .* \d\d:\d\d:\d\d( \d{4}| GMT)$/.test(asked) ? asked.replace(/\d{4}$/, "$& GMT") : "";
  return Math.max(0, Date.parse(date) - Date.now()) || 0;
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

function parsed(body: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === "object" && json !== null ? json as Record<string, unknown> : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}
