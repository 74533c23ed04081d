// SPDX-License-Identifier: Apache-2.0
// Every call of the server, and what its refusals mean.
import { session } from './session.js';

/** A refusal with what to do next. status 0: the server could not be reached. */
export class Problem extends Error {
  constructor(status, { title, detail, next, ...more }) {
    super(detail || title || `The server answered ${status}.`);
    Object.assign(this, { status, title, next, more });
  }
}

const UNREACHABLE = {
  title: 'The console does not answer',
  detail: 'The console does not answer.',
  next: 'Check that its process runs and that this machine reaches it, then try again.',
};

async function call(method, path, body, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      signal,
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(method === 'GET' ? {} : { 'X-CSRF-Token': session.get().person?.csrf ?? '' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (failure) {
    if (failure.name === 'AbortError') throw failure;
    throw new Problem(0, UNREACHABLE);
  }
  const document = parsed(await answer.text());
  if (answer.ok) return document;
  if (answer.status === 401 && path !== '/api/session') session.set({ state: 'out', ended: true });
  throw new Problem(answer.status, withWait(document ?? {}, answer));
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch (noJson) {
    return null;
  }
}

function withWait(problem, answer) {
  const wait = answer.headers.get('Retry-After');
  return wait && !problem.next ? { ...problem, next: `Try again in ${wait} s.` } : problem;
}

export const get = (path, signal) => call('GET', path, undefined, signal);
export const post = (path, body = {}) => call('POST', path, body);
export const remove = (path, body) => call('DELETE', path, body);
