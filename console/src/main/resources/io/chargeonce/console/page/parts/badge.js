// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';

/** A state in one word. The tone is never the only difference: the word says it too. */
export function Badge({ tone = 'quiet', title, children }) {
  return html`<span class=${`badge ${tone}`} title=${title}>${children}</span>`;
}
