// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { withQuery } from '../lib/router.js';

/** A page is an address too: the browser's back button is the way to the page before. */
export function Pager({ next, cursor, shown, total }) {
  if (!next && !cursor) return null;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${cursor && html`<a class="button" href=${withQuery({ cursor: null })}>First page</a>`}
    ${next ? html`<a class="button" href=${withQuery({ cursor: next })}>Next page</a>` : html`<span class="none">This is the last page.</span>`}
    ${total && html`<span class="none">${shown} of ${total}</span>`}
  </nav>`;
}
