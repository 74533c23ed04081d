// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { store, useStore } from '../lib/store.js';

const message = store('');

/** Shows a short message for a few seconds, and has screen readers read it. */
export function say(text) {
  message.set(text);
  setTimeout(() => message.set((now) => (now === text ? '' : now)), 5_000);
}

export function Announcements() {
  const text = useStore(message);
  return html`<div class="announcements" role="status" aria-live="polite">${text && html`<p>${text}</p>`}</div>`;
}
