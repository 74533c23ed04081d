// SPDX-License-Identifier: Apache-2.0
import type { Problem } from "./api.js";

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

export interface Answer {
  status: number;
  headers: Headers;
  json: Record<string, unknown>;
}

const IN_USE = "urn:chargeonce:problem:idempotency-key-in-use";
/** Final even if an earlier sending may have been accepted: the key holds something else for good, or what is to be canceled has ended. */
const FINAL = ["urn:chargeonce:problem:idempotency-key-reused", "urn:chargeonce:problem:refund-differs",
  "urn:chargeonce:problem:already-captured", "urn:chargeonce:problem:payment-declined"];
const YEAR_SECONDS = 365 * 86_400;

/** One payment on its way, or what else is sent until there is an answer. */
export class Sending {
  /** What became of it, once that is known. */
  sent: Sent | undefined;
  /** The last sending that had an answer; 0 for none. */
  answered = 0;
  #doubt: string | undefined;

  constructor(readonly body: string) {}

  take(answer: Answer, sends: number): void {
    this.answered = sends;
    if (!mayChange(answer)) {
      this.sent ??= this.#doubt === undefined || endsDoubt(answer) ? sent(answer, sends)
        : { kind: "unknown", lastSeen: `${inWords(answer)}; an earlier sending may have been accepted (${this.#doubt})`, sends };
    } else if (answer.status !== 429) {
      this.mayBeAccepted(inWords(answer)); // Behind a 5xx a commit may have succeeded; a 429 comes before anything is tried.
    }
  }

  mayBeAccepted(why: string): void {
    this.#doubt ??= why;
  }
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

export function isOfTheMoment({ status }: Answer): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Whether the same request can get another answer later. What something on the way made up has no id. */
function mayChange(answer: Answer): boolean {
  return isOfTheMoment(answer) || answer.status === 409 && answer.json.type === IN_USE || isAccepted(answer) && text(answer.json.id) === "";
}

function endsDoubt(answer: Answer): boolean {
  return isAccepted(answer) || FINAL.includes(text(answer.json.type));
}

export function inWords({ status, json }: Answer): string {
  return `the server answered ${status} ${text(json.type)}`.trimEnd();
}

/** In milliseconds; 0 if the header is neither a number of seconds nor a date to come, in one of the three forms of RFC 9110. */
export function retryAfter({ headers }: Answer): number {
  const asked = headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(asked)) {
    return Math.min(Number(asked), YEAR_SECONDS) * 1_000;
  }
  // Two forms name the zone, and the third one means the same.
  const date = /^[A-Z][a-z]+,? .* \d\d:\d\d:\d\d( \d{4}| GMT)$/.test(asked) ? asked.replace(/\d{4}$/, "$& GMT") : "";
  return Math.max(0, Date.parse(date) - Date.now()) || 0;
}

export function parsed(body: string): Record<string, unknown> {
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
