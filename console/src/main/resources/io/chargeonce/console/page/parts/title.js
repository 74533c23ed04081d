// SPDX-License-Identifier: Apache-2.0
import { html, useEffect } from '../lib/html.js';

/** The heading of a view; it also names the browser's tab. */
export function Title({ text, tab, children }) {
  useEffect(() => {
    document.title = `${tab ?? text} · Chargeonce console`;
  }, [text, tab]);
  return html`<div class="view-title"><h1 tabindex="-1">${text}</h1>${children}</div>`;
}
