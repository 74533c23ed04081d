// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';

/** A bar with its numbers beside it. @param parts [{share, tone}] from left to right */
export function Bar({ label, value, max, text, parts }) {
  const shown = parts ?? [{ share: max > 0 ? value / max : 0, tone: 'accent' }];
  return html`<div class="bar" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax=${max} aria-valuenow=${value} aria-valuetext=${text}>
    ${shown.map((part, at) => html`<span key=${at} class=${part.tone} style=${{ width: `${(100 * part.share).toFixed(2)}%` }}></span>`)}
  </div>`;
}
