// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from './html.js';

/** A value that many components look at. */
export function store(value) {
  const watchers = new Set();
  return {
    get: () => value,
    set(next) {
      value = typeof next === 'function' ? next(value) : next;
      watchers.forEach((watcher) => watcher(value));
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

export function useStore(of) {
  const [value, setValue] = useState(of.get());
  useEffect(() => {
    // It may have changed between the first rendering and this.
    setValue(() => of.get());
    return of.watch((next) => setValue(() => next));
  }, [of]);
  return value;
}

/** What this browser keeps between visits. Without storage it is kept until the page is left. */
export const kept = {
  read(name, otherwise) {
    try {
      const text = localStorage.getItem(`chargeonce.${name}`);
      return text === null ? otherwise : JSON.parse(text);
    } catch (unreadable) {
      return otherwise;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(`chargeonce.${name}`, JSON.stringify(value));
    } catch (storageIsOff) {
      // Nothing is kept.
    }
  },
};
