// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';

/** A choice of few that stands in the address. @param choices [[name, text, href]] */
export function Choice({ label, choices, current }) {
  return html`<nav class="choice" aria-label=${label}>
    ${choices.map(([name, text, href]) => html`<a key=${name} href=${href} aria-current=${name === current ? 'true' : undefined}>${text}</a>`)}
  </nav>`;
}
