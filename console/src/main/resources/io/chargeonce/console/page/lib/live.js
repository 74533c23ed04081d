// SPDX-License-Identifier: Apache-2.0
// What the server sends by itself. state: connecting, live, cut. Numbers are live only while something arrives in time.
import { get } from './api.js';
import { session } from './session.js';
import { store } from './store.js';

/** The server says something every 15 s at least. */
const LONGEST_SILENCE = 25_000;
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 15_000;

export const live = store({ state: 'connecting', heardAt: null });
export const overview = store(null);
/** The latest document of each run that moved since the page was opened and when it came, by its id. */
export const movedRuns = store(new Map());

let source = null;
let watchdog = null;
let again = null;
let wait = FIRST_WAIT;

function heard() {
  wait = FIRST_WAIT;
  live.set({ state: 'live', heardAt: Date.now() });
  clearTimeout(watchdog);
  watchdog = setTimeout(cut, LONGEST_SILENCE);
}

function cut() {
  source?.close();
  source = null;
  clearTimeout(watchdog);
  clearTimeout(again);
  live.set((before) => ({ ...before, state: 'cut' }));
  again = setTimeout(reconnect, wait);
  wait = Math.min(LONGEST_WAIT, wait * 2);
}

/** A session that has ended closes the stream too. Asking says which it is. */
async function reconnect() {
  try {
    await get('/api/session');
    connect();
  } catch (problem) {
    if (problem.status === 401) session.set({ state: 'out', ended: true });
    else cut();
  }
}

function connect() {
  if (session.get().state !== 'in') return;
  source?.close();
  source = new EventSource('/api/stream');
  source.addEventListener('open', heard);
  source.addEventListener('ping', heard);
  source.addEventListener('overview', (event) => {
    heard();
    overview.set(JSON.parse(event.data));
  });
  source.addEventListener('run', (event) => {
    heard();
    const run = JSON.parse(event.data);
    movedRuns.set((runs) => new Map(runs).set(run.run, { run, at: Date.now() }));
  });
  source.addEventListener('error', cut);
}

export function goLive() {
  stopLive();
  live.set({ state: 'connecting', heardAt: null });
  connect();
}

export function tryNow() {
  clearTimeout(again);
  reconnect();
}

/** A browser may keep a page that was left, with its stream, and has few connections to one server. */
addEventListener('pagehide', () => source?.close());
addEventListener('pageshow', (event) => event.persisted && connect());
/** A browser without a network notices it at once; the stream would only be silent. */
addEventListener('offline', () => source && cut());
addEventListener('online', () => live.get().state === 'cut' && tryNow());

export function stopLive() {
  source?.close();
  source = null;
  clearTimeout(watchdog);
  clearTimeout(again);
  overview.set(null);
  movedRuns.set(new Map());
}
