// SPDX-License-Identifier: Apache-2.0
// Shortcuts of one key. They can be switched off, for people who speak to their computer.
import { useLayoutEffect } from './html.js';
import { go } from './router.js';
import { kept, store } from './store.js';

export const shortcutsOn = store(kept.read('shortcuts', true));

export function switchShortcuts(on) {
  kept.write('shortcuts', on);
  shortcutsOn.set(on);
}

const PLACES = { o: '/', d: '/dead-letters', r: '/runs', w: '/waiting', v: '/overdue', p: '/psps', b: '/bank', l: '/rates', a: '/audit' };
const LONGEST_PAUSE = 1_500;
const handlers = [];
const reloads = new Set();
let goKeyAt = 0;

/**
 * While the component is shown, these keys are its own; the latest component goes first. They change with what is drawn and not after the
 * next frame: a quick typist's next key would meet the selection of before.
 */
export function useKeys(keys, when = true) {
  useLayoutEffect(() => {
    if (!when) return undefined;
    handlers.push(keys);
    return () => handlers.splice(handlers.indexOf(keys), 1);
  });
}

export function onReload(load) {
  reloads.add(load);
  return () => reloads.delete(load);
}

export function reloadAll() {
  reloads.forEach((load) => load());
}

function isTyping(target) {
  return Boolean(target.closest?.('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]'));
}

export function startKeys() {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (!shortcutsOn.get() && event.key.length === 1 || document.querySelector('dialog[open]')) return;
    if (Date.now() - goKeyAt < LONGEST_PAUSE && PLACES[event.key]) {
      goKeyAt = 0;
      event.preventDefault();
      go(PLACES[event.key]);
      return;
    }
    goKeyAt = event.key === 'g' ? Date.now() : 0;
    for (let i = handlers.length - 1; i >= 0; i--) {
      const handler = handlers[i][event.key];
      if (handler && handler(event) !== false) {
        event.preventDefault();
        return;
      }
    }
    if (event.key === 'r') reloadAll();
  });
}
