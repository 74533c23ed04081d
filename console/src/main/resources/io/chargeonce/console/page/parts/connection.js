// SPDX-License-Identifier: Apache-2.0
import { html } from '../lib/html.js';
import { live, tryNow } from '../lib/live.js';
import { useStore } from '../lib/store.js';
import { absolute, relative, useNow } from '../lib/time.js';

export function Connection() {
  const { state, heardAt } = useStore(live);
  const now = useNow();
  const text = { connecting: 'Connecting', live: 'Live', cut: 'Not live' }[state];
  return html`<span class=${`connection ${state}`} role="status" title=${heardAt ? `Last heard ${absolute(heardAt)}` : 'Not heard yet'}>
    <span class="dot" aria-hidden="true"></span><span>${text}${state === 'cut' && heardAt ? html`<span aria-hidden="true">, last heard ${relative(heardAt, now)}</span>` : ''}</span>
  </span>`;
}

/** Old numbers must not pass for live ones. */
export function CutBanner() {
  const { state, heardAt } = useStore(live);
  const now = useNow();
  if (state !== 'cut') return null;
  return html`<div class="notice critical cut-banner">
    <p><strong>The connection is cut.</strong> ${heardAt ? html`What you see was last heard ${relative(heardAt, now)} and may have changed.`
      : 'Nothing has been heard yet.'} The page connects again by itself.</p>
    <button type="button" onClick=${tryNow}>Connect now</button>
  </div>`;
}
