// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from './html.js';

const UNITS = [['d', 86_400], ['h', 3_600], ['min', 60], ['s', 1]];

/** 3,700 seconds → "1 h 1 min". Two units at most. */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  if (first < 0) return '0 s';
  const [unit, size] = UNITS[first];
  const text = `${Math.floor(whole / size)} ${unit}`;
  const next = UNITS[first + 1];
  const fine = next && Math.floor((whole % size) / next[1]);
  return fine && whole / size < 10 ? `${text} ${fine} ${next[0]}` : text;
}

/** "3 min ago", "in 20 s". */
export function relative(at, now = Date.now()) {
  const seconds = (new Date(at).getTime() - now) / 1_000;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds < 0 ? `${duration(-seconds)} ago` : `in ${duration(seconds)}`;
}

export function age(at, now = Date.now()) {
  return duration((now - new Date(at).getTime()) / 1_000);
}

/** "2026-11-23 10:54:08 UTC": as in the logs, in every time zone. */
export function absolute(at) {
  const text = new Date(at).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`;
}

export function clock(at) {
  return new Date(at).toISOString().slice(11, 23);
}

/** 1,234 ms → "1.23 s". */
export function milliseconds(ms) {
  if (ms === undefined || ms === null) return '–';
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(2)} s` : duration(ms / 1_000);
}

let ticking = null;
const watchers = new Set();

/** The time, every second: for words such as "12 s ago". One timer for the whole page. */
export function useNow() {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    watchers.add(setNow);
    ticking ??= setInterval(() => watchers.forEach((watcher) => watcher(Date.now())), 1_000);
    return () => {
      watchers.delete(setNow);
      if (watchers.size === 0) {
        clearInterval(ticking);
        ticking = null;
      }
    };
  }, []);
  return now;
}
